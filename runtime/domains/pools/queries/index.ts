import type { Queryable } from "../../../database/database.ts";
import { createActionQueries } from "./action.ts";
import { createExchangeQueries } from "./exchange.ts";
import { createPoolListQueries } from "./pool.ts";
import { createStateQueries } from "./state.ts";
import { createTransactionActionQueries } from "./transaction-action.ts";

/** All queries of pools and exchanges. */
export type PoolQueries = ReturnType<typeof createPoolQueries>;

/** Creates the queries of pools and exchanges: announcements, states and actions as typed rows. */
export const createPoolQueries = (database: Pick<Queryable, "query">) => ({
  ...createPoolListQueries(database),
  ...createExchangeQueries(database),
  ...createActionQueries(database),
  ...createStateQueries(database),
  ...createTransactionActionQueries(database),
});
