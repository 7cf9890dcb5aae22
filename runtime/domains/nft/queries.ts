import type { Database } from "../../database/database.ts";
import { createTraitQueries } from "./trait-queries.ts";

/** Everything that can be asked of the tables about collections, their metadata and their sales. */
export type NftQueries = ReturnType<typeof createNftQueries>;

/** The reading side of non-fungible tokens, as typed rows. */
export const createNftQueries = (database: Pick<Database, "query">) => ({
  ...createTraitQueries(database),
});
