import type { Database } from "../../../database/database.ts";
import { createActivityQueries } from "./activity.ts";
import { createGasQueries } from "./gas.ts";
import { createStatusQueries } from "./status.ts";

/** Everything that can be asked about networks as a whole. */
export type NetworkQueries = ReturnType<typeof createNetworkQueries>;

/** The reading side of what concerns networks as a whole: who is active on them, what gas costs there, how their nodes are. */
export const createNetworkQueries = (database: Pick<Database, "query">) => ({
  ...createActivityQueries(database),
  ...createGasQueries(database),
  ...createStatusQueries(database),
});
