import type { Handlers } from "../../context.ts";

/** The operations that are about non-fungible tokens. */
export const nftHandlers = {} satisfies Partial<Handlers>;
