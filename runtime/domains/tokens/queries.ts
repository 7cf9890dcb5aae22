import type { Database } from "../../database/database.ts";
import { createBalanceQueries } from "./balance-queries.ts";
import { createCounterpartyQueries } from "./counterparty-queries.ts";
import { createHolderQueries } from "./holder-queries.ts";
import { createMetadataQueries } from "./metadata-queries.ts";
import { createPortfolioQueries } from "./portfolio-queries.ts";
import { createTransferQueries } from "./transfer-queries.ts";

/** Everything that can be asked of the tables about tokens. */
export type TokenQueries = ReturnType<typeof createTokenQueries>;

/** The reading side of tokens: metadata, balances, holders and transfers as typed rows. */
export const createTokenQueries = (database: Pick<Database, "query">) => ({
  ...createMetadataQueries(database),
  ...createBalanceQueries(database),
  ...createHolderQueries(database),
  ...createPortfolioQueries(database),
  ...createTransferQueries(database),
  ...createCounterpartyQueries(database),
});
