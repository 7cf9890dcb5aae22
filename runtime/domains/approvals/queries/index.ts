import type { Database } from "../../../database/database.ts";
import { createAllowanceQueries } from "./allowance.ts";
import { createNftApprovalQueries } from "./nft-approval.ts";

/** All approval queries. */
export type ApprovalQueries = ReturnType<typeof createApprovalQueries>;

/** Creates the approval queries. */
export const createApprovalQueries = (database: Pick<Database, "query">) => ({
  ...createAllowanceQueries(database),
  ...createNftApprovalQueries(database),
});
