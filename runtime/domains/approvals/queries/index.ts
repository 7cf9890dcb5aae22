import type { Database } from "../../../database/database.ts";
import { createAllowanceQueries } from "./allowance.ts";
import { createNftApprovalQueries } from "./nft-approval.ts";

/** All queries of approvals. */
export type ApprovalQueries = ReturnType<typeof createApprovalQueries>;

/** Creates the queries of approvals. */
export const createApprovalQueries = (database: Pick<Database, "query">) => ({
  ...createAllowanceQueries(database),
  ...createNftApprovalQueries(database),
});
