import type { Queryable } from "../../../database/database.ts";
import type { IndexCache } from "../../../database/index-cache.ts";
import { createActivityQueries } from "./activity.ts";
import { createBlockQueries } from "./block.ts";
import { createLogQueries } from "./log.ts";
import { createTransactionQueries } from "./transaction.ts";
import { createTransactionWithLogsQueries } from "./transaction-with-logs.ts";

/** All ledger queries. */
export type LedgerQueries = ReturnType<typeof createLedgerQueries>;

/** Creates the ledger queries: blocks, transactions, logs and address activity as typed rows. `cache` may cache data about chains and blocks. */
export const createLedgerQueries = (database: Queryable, cache?: IndexCache) => ({
  ...createBlockQueries(database, cache),
  ...createTransactionQueries(database),
  ...createLogQueries(database),
  ...createTransactionWithLogsQueries(database),
  ...createActivityQueries(database),
});
