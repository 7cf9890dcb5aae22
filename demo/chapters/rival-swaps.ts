import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { farDeadline, type RivalExchange } from "./exchange-types.ts";
import { drainDay } from "./rival-liquidity.ts";
import type { Tokens } from "./tokens.ts";

const swapsPerDay = 9;

/** Creates the daily swaps on the second exchange. Routes with the toll coin use the router's functions for tokens with a transfer fee. */
export const createRivalSwaps = (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  weth: Address,
  { router, ticket, saffron }: RivalExchange,
  users: readonly Address[],
): ((day: number) => readonly Call[]) => {
  const { holdings, artifacts } = context;
  const random = context.createRandom("rival swaps");
  const [usd, salt, toll] = [tokens.usd.address, tokens.salt.address, tokens.toll.address];
  const routes: readonly (readonly Address[])[] = [
    [usd, weth],
    [weth, usd],
    [usd, toll],
    [toll, usd],
    [usd, ticket],
    [ticket, usd],
    [weth, saffron],
    [saffron, weth],
    [salt, weth],
    [weth, salt],
    [usd, weth, saffron],
    [toll, usd, weth],
  ];
  const withoutSalt = routes.filter((route) => !route.includes(salt));
  const swap = (from: Address, route: readonly Address[]): Call[] => {
    const [paid, bought] = [route[0] as Address, route.at(-1) as Address];
    const paysEther = paid === weth && random.oneIn(2);
    const amount = holdings.spend(paysEther ? nativeTokenAddress : paid, from, random, paysEther ? [1, 6] : [4, 25]);
    if (amount === 0n) return [];
    if (paysEther) {
      const data = encode(artifacts.router.abi, "swapExactETHForTokens", [0n, route, from, farDeadline]);
      return [{ from, to: router, value: amount, data }];
    }
    const plain = bought === weth && random.oneIn(2) ? "swapExactTokensForETH" : "swapExactTokensForTokens";
    const functionName = route.includes(toll) ? `${plain}SupportingFeeOnTransferTokens` : plain;
    return [{ from, to: router, data: encode(artifacts.router.abi, functionName, [amount, 0n, route, from, farDeadline]) }];
  };
  return (day) =>
    Array.from({ length: context.scaled(swapsPerDay) }, () => {
      const from = random.oneIn(6) ? accounts.trader : random.pick(users);
      return swap(from, random.pick(day < drainDay ? routes : withoutSalt));
    }).flat();
};
