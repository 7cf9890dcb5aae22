import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import { type ChapterContext, type Scene, storyDays } from "../story/types.ts";
import type { Exchange } from "./exchange-types.ts";
import { farDeadline } from "./exchange-types.ts";
import type { People } from "./people.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;

/** An account with a short history: funds from the trader, a swap and a transfer. */
export const openNewcomer = (stage: ChapterContext, people: People, tokens: Tokens, weth: Address, exchange: Exchange): Scene => {
  const { newcomer, trader } = people;
  return (day) => {
    if (day === storyDays - 6) {
      stage.holdings.take(nativeTokenAddress, trader, 2n * ether);
      return [{ from: trader, to: newcomer, value: 2n * ether }];
    }
    if (day === storyDays - 5) {
      const route = [weth, tokens.usd.address];
      const data = encode(stage.artifacts.router.abi, "swapExactETHForTokens", [0n, route, newcomer, farDeadline]);
      return [{ from: newcomer, to: exchange.router, value: ether, data }];
    }
    if (day === storyDays - 4) {
      // Ten dollars out of more than two thousand.
      return [{ from: newcomer, to: tokens.usd.address, data: encodeTransfer(trader, 10n * tokens.usd.unit), gas: 80_000 }];
    }
    return [];
  };
};
