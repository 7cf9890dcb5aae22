import type { Handlers } from "../context.ts";
import { getAddressExchangeBalances } from "./get-address-exchange-balances.ts";
import { getDexForPoolAddress } from "./get-dex-for-pool-address.ts";
import { getEcosystemChartData } from "./get-ecosystem-chart-data.ts";
import { getHealthData } from "./get-health-data.ts";
import { getLpTokenView } from "./get-lp-token-view.ts";
import { getNetworkExchangeTokens } from "./get-network-exchange-tokens.ts";
import { getPoolByAddress } from "./get-pool-by-address.ts";
import { getPools } from "./get-pools.ts";
import { getPoolsForTokenAddress } from "./get-pools-for-token-address.ts";
import { getPoolsForWalletAddress } from "./get-pools-for-wallet-address.ts";
import { getSingleNetworkExchangeToken } from "./get-single-network-exchange-token.ts";
import { getSupportedDexes } from "./get-supported-dexes.ts";
import { getTransactionsForAccountAddress } from "./get-transactions-for-account-address.ts";
import { getTransactionsForDex } from "./get-transactions-for-dex.ts";
import { getTransactionsForExchange } from "./get-transactions-for-exchange.ts";
import { getTransactionsForTokenAddress } from "./get-transactions-for-token-address.ts";

/** The resolvers of operations about exchanges. */
export const dexHandlers = {
  getAddressExchangeBalances,
  getDexForPoolAddress,
  getEcosystemChartData,
  getHealthData,
  getLpTokenView,
  getNetworkExchangeTokens,
  getPoolByAddress,
  getPoolsForTokenAddress,
  getPoolsForWalletAddress,
  getPools,
  getSingleNetworkExchangeToken,
  getSupportedDexes,
  getTransactionsForAccountAddress,
  getTransactionsForDex,
  getTransactionsForExchange,
  getTransactionsForTokenAddress,
} satisfies Partial<Handlers>;
