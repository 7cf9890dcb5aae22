import type { Queryable } from "../../../database/database.ts";
import type { IndexCache } from "../../../database/index-cache.ts";
import { createActivityQueries } from "./activity.ts";
import { createBlockQueries } from "./block.ts";
import { createLogQueries } from "./log.ts";
import { createLoggedTransactionQueries } from "./logged-transaction.ts";
import { createTransactionQueries } from "./transaction.ts";

/** All ledger queries. */
export type LedgerQueries = ReturnType<typeof createLedgerQueries>;

/** Creates the ledger queries: blocks, transactions, logs and address activity as typed rows. `cache` may cache data about chains and blocks. */
export const createLedgerQueries = (database: Queryable, cache?: IndexCache) => ({
  ...createBlockQueries(database, cache),
  ...createTransactionQueries(database),
  ...createLogQueries(database),
  ...createLoggedTransactionQueries(database),
  ...createActivityQueries(database),
});
