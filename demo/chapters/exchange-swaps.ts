import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import { type Call, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { type Exchange, farDeadline } from "./exchange-types.ts";
import type { MarketPrices } from "./market-prices.ts";
import type { Tokens } from "./tokens.ts";

const swapsPerDay = 52;
const traderSwapsPerDay = 5;

/** Creates the daily swaps over every kind of route. One swap in the middle of the story is labelled for use in examples. */
export const createSwaps = (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  weth: Address,
  { router }: Exchange,
  prices: MarketPrices,
): ((day: number) => readonly Call[]) => {
  const { holdings, artifacts } = context;
  const random = context.createRandom("swaps");
  const usd = tokens.usd.address;
  const gold = tokens.gold.address;
  const salt = tokens.salt.address;
  const routes: readonly (readonly Address[])[] = [
    [usd, gold],
    [gold, usd],
    [usd, weth],
    [weth, usd],
    [gold, weth],
    [weth, gold],
    [salt, weth],
    [weth, salt],
    [usd, weth, salt],
    [salt, weth, gold],
    [gold, usd, weth],
  ];
  const call = (from: Address, functionName: string, parameters: readonly unknown[], value = 0n): Call => ({
    from,
    to: router,
    value,
    data: encode(artifacts.router.abi, functionName, parameters),
  });
  /** Returns the amount of a token that is worth 60 % of the paid ether. */
  const affordableAmount = (token: Address, paid: bigint): bigint => {
    const [paidRate, boughtRate] = [prices.rate(weth), prices.rate(token)];
    return (paid * paidRate.price * boughtRate.unit * 6n) / (paidRate.unit * boughtRate.price * 10n);
  };
  const buyWithEther = (from: Address, to: Address, amount: bigint, route: readonly Address[], bought: Address): Call =>
    random.oneIn(4)
      ? // Overpays, so that the router refunds the rest.
        call(from, "swapETHForExactTokens", [affordableAmount(bought, amount), route, to, farDeadline], amount)
      : call(from, "swapExactETHForTokens", [0n, route, to, farDeadline], amount);
  const swap = (from: Address, route: readonly Address[]): Call[] => {
    const [paid, bought] = [route[0] as Address, route.at(-1) as Address];
    const to = random.oneIn(15) ? random.pick(accounts.dealers) : from;
    const paysEther = paid === weth && random.oneIn(2);
    const amount = holdings.spend(paysEther ? nativeTokenAddress : paid, from, random, paysEther ? [1, 6] : [4, 25]);
    if (amount === 0n) return [];
    if (paysEther) return [buyWithEther(from, to, amount, route, bought)];
    const functionName = bought === weth && random.oneIn(2) ? "swapExactTokensForETH" : "swapExactTokensForTokens";
    return [call(from, functionName, [amount, 0n, route, to, farDeadline])];
  };
  return (day) => {
    const traderSwaps = Array.from({ length: Math.max(1, context.scaled(traderSwapsPerDay)) }, () =>
      swap(accounts.trader, random.pick(routes)),
    ).flat();
    const dealerSwaps = Array.from({ length: context.scaled(swapsPerDay - traderSwapsPerDay) }, () =>
      swap(random.pick(accounts.dealers), random.pick(routes)),
    ).flat();
    const labelled = day === storyDays / 2 ? swap(accounts.trader, [usd, gold]).map((swapCall) => ({ ...swapCall, label: "swap" })) : [];
    return [...dealerSwaps, ...labelled, ...traderSwaps];
  };
};
