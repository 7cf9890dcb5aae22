import type { Database } from "../../../database/database.ts";
import { createActivityQueries } from "./activity.ts";
import { createBlockQueries } from "./block.ts";
import { createLogQueries } from "./log.ts";
import { createTransactionQueries } from "./transaction.ts";

/** Everything that can be asked of the ledger's tables. */
export type LedgerQueries = ReturnType<typeof createLedgerQueries>;

/** The reading side of the ledger: blocks, transactions and logs as typed rows. */
export const createLedgerQueries = (database: Pick<Database, "query">) => ({
  ...createBlockQueries(database),
  ...createTransactionQueries(database),
  ...createLogQueries(database),
  ...createActivityQueries(database),
});
