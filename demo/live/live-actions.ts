import type { Address } from "../../runtime/lib/hex.ts";
import { farDeadline } from "../chapters/exchange-types.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import { readContract } from "../story/read-contract.ts";
import { chooseMarketAction } from "./live-market.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

/** A router, with routes from wrapped ether to tokens. */
interface Trade {
  readonly router: Address;
  readonly routes: readonly (readonly Address[])[];
  readonly buy: string;
  readonly sell: string;
}

const createTrades = ({ cast }: LiveContext): readonly [Trade, Trade] => {
  const [weth, usd] = [cast.wrappedNative as Address, cast.usdToken as Address];
  const first: Trade = {
    router: cast.exchangeRouter as Address,
    routes: [usd, cast.goldToken as Address, cast.saltToken as Address].map((token) => [weth, token]),
    buy: "swapExactETHForTokens",
    sell: "swapExactTokensForETH",
  };
  const rival: Trade = {
    router: cast.rivalRouter as Address,
    routes: [
      [weth, usd],
      [weth, cast.saffronToken as Address],
      [weth, usd, cast.ticketToken as Address],
      [weth, usd, cast.tollToken as Address],
    ],
    buy: "swapExactETHForTokensSupportingFeeOnTransferTokens",
    sell: "swapExactTokensForETHSupportingFeeOnTransferTokens",
  };
  return [first, rival];
};

/** A small random action between accounts of the story: an unknown account would have a past that an index cannot read. */
export const chooseAction = async (life: LiveContext): Promise<LiveAction> => {
  const { client, cast, inventory, artifacts, random } = life;
  const apart: readonly (string | undefined)[] = [cast.newcomer, cast.priceReporter, cast.washTrader, cast.otherWashTrader];
  const people = inventory.people.filter((person) => !apart.includes(person));
  const trader = cast.trader as Address;
  const from = random.chance(4) ? trader : random.pick(people);
  const to = random.pick(people);
  const value = BigInt(random.between(1, 50)) * 10n ** 14n;
  const [first, rival] = createTrades(life);
  const { abi } = artifacts.router;

  const buy = ({ router, routes, buy: functionName }: Trade, paid: bigint): LiveAction => {
    const data = encode(abi, functionName, [0n, random.pick(routes), from, farDeadline]);
    return { from, to: router, value: paid, data };
  };
  /** The tokens that an amount of ether buys, so that sales and purchases balance each other. */
  const worthOf = async ({ router }: Trade, paid: bigint, route: readonly Address[]): Promise<bigint> =>
    (await readContract<readonly bigint[]>(client, router, abi, "getAmountsOut", [paid, route])).at(-1) ?? 0n;
  const sell = async (trade: Trade, paid: bigint): Promise<LiveAction> => {
    const route = random.pick(trade.routes);
    const sold = await worthOf(trade, paid, route);
    const data = encode(abi, trade.sell, [sold, 0n, route.toReversed(), trader, farDeadline]);
    return { from: trader, to: trade.router, data };
  };
  const tradeInRange = async (paid: bigint): Promise<LiveAction> => {
    const [token, fee] = random.pick([
      [cast.usdToken as Address, 500],
      [cast.goldToken as Address, 3_000],
    ] as const);
    const weth = cast.wrappedNative as Address;
    const buys = random.chance(2);
    const [tokenIn, tokenOut] = buys ? [weth, token] : [token, weth];
    const [recipient, amountIn] = buys ? [from, paid] : [trader, await worthOf(first, paid, [weth, token])];
    const limits = { deadline: farDeadline, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
    const data = encode(artifacts.rangeRouter.abi, "exactInputSingle", [{ tokenIn, tokenOut, fee, recipient, amountIn, ...limits }]);
    return { from: recipient, to: cast.rangeRouter as Address, value: buys ? paid : 0n, data };
  };

  const kind = random.below(11);
  if (kind === 0) return { from, to, value };
  if (kind === 1) return { from, to: cast.wrappedNative as Address, value, data: encode(artifacts.weth.abi, "deposit") };
  if (kind === 2) {
    const dollars = BigInt(random.between(1, 100)) * 10_000n;
    return { from: trader, to: cast.usdToken as Address, data: encodeTransfer(to, dollars) };
  }
  // The ticket has no decimals: smaller amounts buy none.
  const enoughForTickets = BigInt(random.between(4, 20)) * 10n ** 15n;
  if (kind < 5) return buy(first, value);
  if (kind === 5) return sell(first, value);
  if (kind === 6) return buy(rival, enoughForTickets);
  if (kind === 7) return sell(rival, enoughForTickets);
  if (kind === 8) return tradeInRange(value);
  return chooseMarketAction(life, from);
};
