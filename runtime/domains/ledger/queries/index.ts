import type { Queryable } from "../../../database/database.ts";
import type { IndexKeep } from "../../../database/index-keep.ts";
import { createActivityQueries } from "./activity.ts";
import { createBlockQueries } from "./block.ts";
import { createLogQueries } from "./log.ts";
import { createLoggedTransactionQueries } from "./logged-transaction.ts";
import { createTransactionQueries } from "./transaction.ts";

/** All queries of the ledger. */
export type LedgerQueries = ReturnType<typeof createLedgerQueries>;

/** Creates the queries of the ledger: blocks, transactions, logs and address activity as typed rows. `keep` may keep what is known of chains. */
export const createLedgerQueries = (database: Queryable, keep?: IndexKeep) => ({
  ...createBlockQueries(database, keep),
  ...createTransactionQueries(database),
  ...createLogQueries(database),
  ...createLoggedTransactionQueries(database),
  ...createActivityQueries(database),
});
