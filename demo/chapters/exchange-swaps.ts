import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import { type Call, type ChapterContext, storyDays } from "../story/types.ts";
import type { Market } from "./exchange-prices.ts";
import { type Exchange, farDeadline } from "./exchange-types.ts";
import type { People } from "./people.ts";
import type { Tokens } from "./tokens.ts";

const swapsPerDay = 52;
const swapsOfTrader = 5;

/** The swaps of a day: every kind of route through the router, and the one in the middle of the story that examples use. */
export const createSwaps = (
  stage: ChapterContext,
  people: People,
  tokens: Tokens,
  weth: Address,
  { router }: Exchange,
  market: Market,
): ((day: number) => readonly Call[]) => {
  const { holdings, artifacts } = stage;
  const random = stage.random("swaps");
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
  /** 60 % of the ether's value. */
  const underpriced = (token: Address, paid: bigint): bigint => {
    const [given, taken] = [market.rate(weth), market.rate(token)];
    return (paid * given.price * taken.unit * 6n) / (given.unit * taken.price * 10n);
  };
  const buyWithEther = (from: Address, to: Address, amount: bigint, route: readonly Address[], bought: Address): Call =>
    random.chance(4)
      ? // Overpays on purpose: the router refunds the rest.
        call(from, "swapETHForExactTokens", [underpriced(bought, amount), route, to, farDeadline], amount)
      : call(from, "swapExactETHForTokens", [0n, route, to, farDeadline], amount);
  const swap = (from: Address, route: readonly Address[]): Call[] => {
    const [paid, bought] = [route[0] as Address, route.at(-1) as Address];
    const to = random.chance(15) ? random.pick(people.dealers) : from;
    const fromEther = paid === weth && random.chance(2);
    const amount = holdings.spend(fromEther ? nativeTokenAddress : paid, from, random, fromEther ? [1, 6] : [4, 25]);
    if (amount === 0n) return [];
    if (fromEther) return [buyWithEther(from, to, amount, route, bought)];
    const functionName = bought === weth && random.chance(2) ? "swapExactTokensForETH" : "swapExactTokensForTokens";
    return [call(from, functionName, [amount, 0n, route, to, farDeadline])];
  };
  return (day) => {
    const ofTrader = Array.from({ length: Math.max(1, stage.scaled(swapsOfTrader)) }, () =>
      swap(people.trader, random.pick(routes)),
    ).flat();
    const ofCrowd = Array.from({ length: stage.scaled(swapsPerDay - swapsOfTrader) }, () =>
      swap(random.pick(people.dealers), random.pick(routes)),
    ).flat();
    const marked = day === storyDays / 2 ? swap(people.trader, [usd, gold]).map((call) => ({ ...call, mark: "swap" })) : [];
    return [...ofCrowd, ...marked, ...ofTrader];
  };
};
