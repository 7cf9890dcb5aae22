import type { Database } from "../../../database/database.ts";
import { createCollectionQueries } from "./collections.ts";
import { createHeldTokenQueries } from "./held-tokens.ts";
import { createStoredMetadataQueries } from "./metadata.ts";
import { createTokensByTraitQueries } from "./tokens-by-trait.ts";
import { createTraitQueries } from "./traits.ts";

/** Queries for the metadata of collections and their tokens. */
export type NftMetadataQueries = ReturnType<typeof createNftMetadataQueries>;

/** Creates the queries for the metadata of collections and their tokens. */
export const createNftMetadataQueries = (database: Pick<Database, "query">) => ({
  ...createStoredMetadataQueries(database),
  ...createCollectionQueries(database),
  ...createTraitQueries(database),
  ...createTokensByTraitQueries(database),
  ...createHeldTokenQueries(database),
});
