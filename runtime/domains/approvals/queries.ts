import type { Database } from "../../database/database.ts";

/** Everything that can be asked of the tables about approvals. */
export type ApprovalQueries = ReturnType<typeof createApprovalQueries>;

/** The reading side of approvals, as typed rows. */
export const createApprovalQueries = (_database: Pick<Database, "query">) => ({});
