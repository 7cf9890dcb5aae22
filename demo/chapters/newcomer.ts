import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import { type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import type { Exchange } from "./exchange-types.ts";
import { farDeadline } from "./exchange-types.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;

/** Creates a short history for the newcomer: funds from the trader, a swap and a transfer. */
export const setUpNewcomer = (context: StoryContext, accounts: Accounts, tokens: Tokens, weth: Address, exchange: Exchange): DailyCalls => {
  const { newcomer, trader } = accounts;
  return (day) => {
    if (day === storyDays - 6) {
      context.holdings.deduct(nativeTokenAddress, trader, 2n * ether);
      return [{ from: trader, to: newcomer, value: 2n * ether }];
    }
    if (day === storyDays - 5) {
      const route = [weth, tokens.usd.address];
      const data = encode(context.artifacts.router.abi, "swapExactETHForTokens", [0n, route, newcomer, farDeadline]);
      return [{ from: newcomer, to: exchange.router, value: ether, data }];
    }
    if (day === storyDays - 4) {
      // Ten of the more than two thousand dollars from the swap.
      return [{ from: newcomer, to: tokens.usd.address, data: encodeTransfer(trader, 10n * tokens.usd.unit), gas: 80_000 }];
    }
    return [];
  };
};
