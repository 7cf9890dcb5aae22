import type { Handlers } from "../../context.ts";

/** The operations that are about approvals. */
export const approvalsHandlers = {} satisfies Partial<Handlers>;
