import type { Database } from "../../../database/database.ts";
import { createActionQueries } from "./action.ts";
import { createListQueries } from "./pool.ts";
import { createStateQueries } from "./state.ts";
import { createTransactionActionQueries } from "./transaction-action.ts";

/** Everything that can be asked of the tables about pools. */
export type PoolQueries = ReturnType<typeof createPoolQueries>;

/** The reading side of pools: which there are, what is in them, what was done with them. */
export const createPoolQueries = (database: Pick<Database, "query">) => ({
  ...createListQueries(database),
  ...createActionQueries(database),
  ...createStateQueries(database),
  ...createTransactionActionQueries(database),
});
