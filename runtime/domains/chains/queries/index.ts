import type { Queryable } from "../../../database/database.ts";
import { createActivityQueries } from "./activity.ts";
import { createGasQueries } from "./gas.ts";
import { createStatusQueries } from "./status.ts";

/** All network queries. */
export type NetworkQueries = ReturnType<typeof createNetworkQueries>;

/** Creates the network queries: address activity, gas prices, and node states. */
export const createNetworkQueries = (database: Queryable) => ({
  ...createActivityQueries(database),
  ...createGasQueries(database),
  ...createStatusQueries(database),
});
