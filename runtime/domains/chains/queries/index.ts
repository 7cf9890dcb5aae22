import type { Queryable } from "../../../database/database.ts";
import { createActivityQueries } from "./activity.ts";
import { createGasQueries } from "./gas.ts";
import { createStatusQueries } from "./status.ts";

/** All network queries. */
export type ChainQueries = ReturnType<typeof createChainQueries>;

/** Creates the network queries: address activity, gas prices, and node states. */
export const createChainQueries = (database: Queryable) => ({
  ...createActivityQueries(database),
  ...createGasQueries(database),
  ...createStatusQueries(database),
});
