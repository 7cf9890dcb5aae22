import type { Queryable } from "../../../database/database.ts";
import { createActivityQueries } from "./activity.ts";
import { createGasQueries } from "./gas.ts";
import { createStatusQueries } from "./status.ts";

/** All queries of networks. */
export type NetworkQueries = ReturnType<typeof createNetworkQueries>;

/** Creates the queries of networks: the activity of an address, gas prices, and the state of nodes. */
export const createNetworkQueries = (database: Queryable) => ({
  ...createActivityQueries(database),
  ...createGasQueries(database),
  ...createStatusQueries(database),
});
