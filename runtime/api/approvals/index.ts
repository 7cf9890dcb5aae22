import type { Handlers } from "../context.ts";
import { getApprovals } from "./get-approvals.ts";
import { getNftApprovals } from "./get-nft-approvals.ts";

/** The resolvers of operations about approvals. */
export const approvalsHandlers = { getApprovals, getNftApprovals } satisfies Partial<Handlers>;
