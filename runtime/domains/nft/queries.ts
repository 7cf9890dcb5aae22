import type { Database } from "../../database/database.ts";
import { createCollectionQueries } from "./collection-queries.ts";
import { createFilterQueries } from "./filter-queries.ts";
import { createNftHoldingQueries } from "./holding-queries.ts";
import { createNftMetadataQueries } from "./metadata-queries.ts";
import { createSaleQueries } from "./sales/sale-queries.ts";
import { createNftTokenQueries } from "./token-queries.ts";
import { createTraitQueries } from "./trait-queries.ts";

/** Everything that can be asked of the tables about collections, their metadata and their sales. */
export type NftQueries = ReturnType<typeof createNftQueries>;

/** The reading side of non-fungible tokens, as typed rows. */
export const createNftQueries = (database: Pick<Database, "query">) => ({
  ...createCollectionQueries(database),
  ...createNftTokenQueries(database),
  ...createFilterQueries(database),
  ...createNftHoldingQueries(database),
  ...createNftMetadataQueries(database),
  ...createSaleQueries(database),
  ...createTraitQueries(database),
});
