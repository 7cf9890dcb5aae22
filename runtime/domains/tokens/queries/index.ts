import type { Database } from "../../../database/database.ts";
import { type IndexCache, noIndexCache } from "../../../database/index-cache.ts";
import { createBalanceQueries } from "./balance.ts";
import { createCounterpartyQueries } from "./counterparty.ts";
import { createHolderQueries } from "./holder.ts";
import { createHoldingQueries } from "./holding.ts";
import { createMetadataQueries } from "./metadata.ts";
import { createPortfolioQueries } from "./portfolio.ts";
import { createTopHolderQueries } from "./top-holders.ts";
import { createTransferQueries } from "./transfer.ts";

/** All token queries. */
export type TokenQueries = ReturnType<typeof createTokenQueries>;

/** Creates the token queries: metadata, balances, holders and transfers as typed rows. */
export const createTokenQueries = (database: Pick<Database, "query">, cache: IndexCache = noIndexCache) => ({
  ...createMetadataQueries(database, cache.lookups("token_metadata", "token_standards")),
  ...createBalanceQueries(database),
  ...createHoldingQueries(database),
  ...createHolderQueries(database),
  ...createTopHolderQueries(database),
  ...createPortfolioQueries(database, cache.lookups("blocks")),
  ...createTransferQueries(database),
  ...createCounterpartyQueries(database),
});
