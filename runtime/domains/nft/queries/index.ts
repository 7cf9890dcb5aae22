import type { Database } from "../../../database/database.ts";
import { createNftOwnerQueries, createNftTokenQueries } from "./tokens.ts";

/** Queries for the tokens of collections and their holders. */
export type NftQueries = ReturnType<typeof createNftQueries>;

/** Creates the queries for the tokens of collections and their holders. */
export const createNftQueries = (database: Pick<Database, "query">) => ({
  ...createNftTokenQueries(database),
  ...createNftOwnerQueries(database),
});
