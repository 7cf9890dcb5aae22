import type { Address } from "../../runtime/lib/hex.ts";
import { farDeadline } from "../chapters/exchange-types.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import { readContract } from "../story/read-contract.ts";
import { chooseMarketAction } from "./live-market.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

/** A router with its routes from wrapped ether to tokens, and its swap functions. */
interface RouterOptions {
  readonly router: Address;
  readonly routes: readonly (readonly Address[])[];
  readonly buy: string;
  readonly sell: string;
}

const createRouterOptions = ({ values }: LiveContext): readonly [RouterOptions, RouterOptions] => {
  const [weth, usd] = [values.wrappedNative as Address, values.usdToken as Address];
  const first: RouterOptions = {
    router: values.exchangeRouter as Address,
    routes: [usd, values.goldToken as Address, values.saltToken as Address].map((token) => [weth, token]),
    buy: "swapExactETHForTokens",
    sell: "swapExactTokensForETH",
  };
  const rival: RouterOptions = {
    router: values.rivalRouter as Address,
    routes: [
      [weth, usd],
      [weth, values.saffronToken as Address],
      [weth, usd, values.ticketToken as Address],
      [weth, usd, values.tollToken as Address],
    ],
    buy: "swapExactETHForTokensSupportingFeeOnTransferTokens",
    sell: "swapExactTokensForETHSupportingFeeOnTransferTokens",
  };
  return [first, rival];
};

/** Chooses a small random action between accounts of the story. Other accounts may have a history that an index cannot read. */
export const chooseAction = async (context: LiveContext): Promise<LiveAction> => {
  const { client, values, inventory, artifacts, random } = context;
  const excluded: readonly (string | undefined)[] = [values.newcomer, values.priceReporter, values.washTrader, values.otherWashTrader];
  const accounts = inventory.accounts.filter((account) => !excluded.includes(account));
  const trader = values.trader as Address;
  const from = random.oneIn(4) ? trader : random.pick(accounts);
  const to = random.pick(accounts);
  const value = BigInt(random.between(1, 50)) * 10n ** 14n;
  const [first, rival] = createRouterOptions(context);
  const { abi } = artifacts.router;

  const buy = ({ router, routes, buy: functionName }: RouterOptions, paid: bigint): LiveAction => {
    const data = encode(abi, functionName, [0n, random.pick(routes), from, farDeadline]);
    return { from, to: router, value: paid, data };
  };
  /** How many tokens an amount of ether buys, so that sales and purchases balance. */
  const amountBought = async ({ router }: RouterOptions, paid: bigint, route: readonly Address[]): Promise<bigint> =>
    (await readContract<readonly bigint[]>(client, router, abi, "getAmountsOut", [paid, route])).at(-1) ?? 0n;
  const sell = async (trade: RouterOptions, paid: bigint): Promise<LiveAction> => {
    const route = random.pick(trade.routes);
    const sold = await amountBought(trade, paid, route);
    const data = encode(abi, trade.sell, [sold, 0n, route.toReversed(), trader, farDeadline]);
    return { from: trader, to: trade.router, data };
  };
  const tradeInRange = async (paid: bigint): Promise<LiveAction> => {
    const [token, fee] = random.pick([
      [values.usdToken as Address, 500],
      [values.goldToken as Address, 3_000],
    ] as const);
    const weth = values.wrappedNative as Address;
    const isPurchase = random.oneIn(2);
    const [tokenIn, tokenOut] = isPurchase ? [weth, token] : [token, weth];
    const [recipient, amountIn] = isPurchase ? [from, paid] : [trader, await amountBought(first, paid, [weth, token])];
    const limits = { deadline: farDeadline, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n };
    const data = encode(artifacts.rangeRouter.abi, "exactInputSingle", [{ tokenIn, tokenOut, fee, recipient, amountIn, ...limits }]);
    return { from: recipient, to: values.rangeRouter as Address, value: isPurchase ? paid : 0n, data };
  };

  const kind = random.below(11);
  if (kind === 0) return { from, to, value };
  if (kind === 1) return { from, to: values.wrappedNative as Address, value, data: encode(artifacts.weth.abi, "deposit") };
  if (kind === 2) {
    const dollars = BigInt(random.between(1, 100)) * 10_000n;
    return { from: trader, to: values.usdToken as Address, data: encodeTransfer(to, dollars) };
  }
  // The ticket token has no decimals, so smaller amounts would buy none.
  const enoughForTickets = BigInt(random.between(4, 20)) * 10n ** 15n;
  if (kind < 5) return buy(first, value);
  if (kind === 5) return sell(first, value);
  if (kind === 6) return buy(rival, enoughForTickets);
  if (kind === 7) return sell(rival, enoughForTickets);
  if (kind === 8) return tradeInRange(value);
  return chooseMarketAction(context, from);
};
