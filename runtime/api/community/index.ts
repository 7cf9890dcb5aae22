import type { Handlers } from "../context.ts";
import { getCommunityBalances } from "./get-community-balances.ts";
import { getCommunityMarketData } from "./get-community-market-data.ts";
import { getCommunityMarkets } from "./get-community-markets.ts";
import { getCommunityTokens } from "./get-community-tokens.ts";
import { getCommunityTransactions } from "./get-community-transactions.ts";

/** The resolvers of community endpoints, which serve all protocols. */
export const communityHandlers = {
  getCommunityBalances,
  getCommunityMarketData,
  getCommunityMarkets,
  getCommunityTokens,
  getCommunityTransactions,
} satisfies Partial<Handlers>;
