import type { Handlers } from "../../context.ts";
import { getErc20TransfersForWalletAddress } from "./get-erc20-transfers-for-wallet-address.ts";
import { getNativeTokenBalance } from "./get-native-token-balance.ts";
import { getTokenBalancesForWalletAddress } from "./get-token-balances-for-wallet-address.ts";

/** The operations that tokens answer. */
export const tokensHandlers = {
  getErc20TransfersForWalletAddress,
  getNativeTokenBalance,
  getTokenBalancesForWalletAddress,
} satisfies Partial<Handlers>;
