import type { Handlers } from "../context.ts";
import { getApprovals } from "./get-approvals.ts";
import { getNftApprovals } from "./get-nft-approvals.ts";

/** The operations that are about approvals. */
export const approvalsHandlers = { getApprovals, getNftApprovals } satisfies Partial<Handlers>;
