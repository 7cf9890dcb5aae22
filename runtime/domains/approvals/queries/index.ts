import type { Database } from "../../../database/database.ts";
import { createAllowanceQueries } from "./allowance.ts";
import { createNftApprovalQueries } from "./nft-approval.ts";

/** Everything that can be asked of the tables about approvals. */
export type ApprovalQueries = ReturnType<typeof createApprovalQueries>;

/** The reading side of approvals, as typed rows. */
export const createApprovalQueries = (database: Pick<Database, "query">) => ({
  ...createAllowanceQueries(database),
  ...createNftApprovalQueries(database),
});
