import type { Handlers } from "../context.ts";
import { getErc20TransfersForWalletAddress } from "./get-erc20-transfers-for-wallet-address.ts";
import { getHistoricalPortfolioForWalletAddress } from "./get-historical-portfolio-for-wallet-address.ts";
import { getHistoricalTokenBalancesForWalletAddress } from "./get-historical-token-balances-for-wallet-address.ts";
import { getNativeTokenBalance } from "./get-native-token-balance.ts";
import { getTokenBalancesForWalletAddress } from "./get-token-balances-for-wallet-address.ts";
import { getTokenHolders } from "./get-token-holders.ts";

/** The resolvers of operations about tokens. */
export const tokensHandlers = {
  getErc20TransfersForWalletAddress,
  getHistoricalPortfolioForWalletAddress,
  getHistoricalTokenBalancesForWalletAddress,
  getNativeTokenBalance,
  getTokenBalancesForWalletAddress,
  getTokenHolders,
} satisfies Partial<Handlers>;
