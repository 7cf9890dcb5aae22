import type { Database } from "../../database/database.ts";
import { createActionQueries } from "./action-queries.ts";
import { createPoolQueries } from "./pool-queries.ts";

/** Everything that can be asked of the tables about pools. */
export type PoolQueries = ReturnType<typeof createQueries>;

const createQueries = (database: Pick<Database, "query">) => ({
  ...createPoolQueries(database),
  ...createActionQueries(database),
});

/** The reading side of pools: which there are, what is in them, what was done with them. */
export { createQueries as createPoolQueries };
