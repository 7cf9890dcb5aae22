import type { Queryable } from "../../../database/database.ts";
import { type IndexCache, noIndexCache } from "../../../database/index-cache.ts";
import type { Address } from "../../../lib/hex.ts";
import { createActionQueries } from "./action.ts";
import { createExchangeQueries } from "./exchange.ts";
import { createFactoryQueries } from "./factory.ts";
import { createPoolListQueries } from "./pool.ts";
import { createStateQueries } from "./state.ts";
import { createTransactionActionQueries } from "./transaction-action.ts";

/** All queries for pools and exchanges. */
export type PoolQueries = ReturnType<typeof createPoolQueries>;

/** Creates the queries for pools and exchanges: announcements, states and actions as typed rows. `factoriesOf` has the factories of a chain's exchanges. */
export const createPoolQueries = (
  database: Pick<Queryable, "query">,
  factoriesOf: (chainId: number) => readonly Address[] = () => [],
  cache: IndexCache = noIndexCache,
) => ({
  ...createPoolListQueries(database),
  ...createFactoryQueries(database, factoriesOf, cache.lookups("pools")),
  ...createExchangeQueries(database),
  ...createActionQueries(database),
  ...createStateQueries(database),
  ...createTransactionActionQueries(database),
});
