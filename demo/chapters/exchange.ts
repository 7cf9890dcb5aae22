import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { createArbitrageSwaps } from "./exchange-arbitrage.ts";
import { createSwaps } from "./exchange-swaps.ts";
import { type Exchange, farDeadline, unlimited } from "./exchange-types.ts";
import { createMarketPrices, type MarketPrices } from "./market-prices.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;

interface Deposit {
  readonly tokens: readonly [Address, Address];
  readonly amounts: readonly [bigint, bigint];
}

const addLiquidity = (context: StoryContext, router: Address, from: Address, { tokens, amounts }: Deposit): Call => {
  const data = encode(context.artifacts.router.abi, "addLiquidity", [...tokens, ...amounts, 0n, 0n, from, farDeadline]);
  return { from, to: router, data, gas: 4_000_000 };
};

const createPairs = async (context: StoryContext, accounts: Accounts, tokens: Tokens, weth: Address): Promise<Exchange> => {
  const { artifacts } = context;
  const { usd, gold, salt } = tokens;
  const maker = accounts.marketMaker;
  const factory = await context.deploy(accounts.deployer, artifacts.factory, [accounts.deployer]);
  const router = await context.deploy(accounts.deployer, artifacts.router, [factory, weth]);
  const traded = [usd.address, gold.address, salt.address, weth];
  const approvals = [maker, accounts.trader, ...accounts.dealers].flatMap((owner) =>
    traded.map((token): Call => ({ from: owner, to: token, data: encodeApprove(router, unlimited), gas: 80_000 })),
  );
  await context.mine(approvals);
  const deposits: readonly Deposit[] = [
    { tokens: [weth, usd.address], amounts: [500n * ether, 1_250_000n * usd.unit] },
    { tokens: [gold.address, usd.address], amounts: [20_000n * gold.unit, 1_600_000n * usd.unit] },
    { tokens: [gold.address, weth], amounts: [8_000n * gold.unit, 256n * ether] },
    { tokens: [salt.address, weth], amounts: [2_000_000n * salt.unit, 200n * ether] },
  ];
  for (const { tokens: pair, amounts } of deposits) {
    context.holdings.deduct(pair[0], maker, amounts[0]);
    context.holdings.deduct(pair[1], maker, amounts[1]);
  }
  await context.mine(deposits.map((deposit) => addLiquidity(context, router, maker, deposit)));
  const pairOf = async (deposit: Deposit | undefined): Promise<Address> => {
    const pair = await context.read<Address>(factory, artifacts.factory.abi, "getPair", deposit?.tokens ?? []);
    return pair.toLowerCase() as Address;
  };
  const [dollarEther, goldDollar, goldEther, saltEther] = deposits;
  return {
    factory,
    router,
    pairs: {
      dollarEther: await pairOf(dollarEther),
      goldDollar: await pairOf(goldDollar),
      goldEther: await pairOf(goldEther),
      saltEther: await pairOf(saltEther),
    },
  };
};

/** Deploys the first exchange. Each day has swaps, added liquidity and removed liquidity. */
export const setUpExchange = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  weth: Address,
): Promise<{ exchange: Exchange; prices: MarketPrices; dailyCalls: DailyCalls }> => {
  const exchange = await createPairs(context, accounts, tokens, weth);
  const { holdings, artifacts } = context;
  const { router, pairs } = exchange;
  const random = context.createRandom("liquidity");
  const providers = accounts.dealers.slice(0, Math.max(3, context.scaled(12)));
  const pools = [
    { pair: pairs.dollarEther, tokens: [weth, tokens.usd.address] },
    { pair: pairs.goldDollar, tokens: [tokens.gold.address, tokens.usd.address] },
    { pair: pairs.goldEther, tokens: [tokens.gold.address, weth] },
    { pair: pairs.saltEther, tokens: [tokens.salt.address, weth] },
  ] as const;
  await context.mine(
    [accounts.trader, ...providers].flatMap((from) =>
      pools.map(({ pair }): Call => ({ from, to: pair, data: encodeApprove(router, unlimited), gas: 80_000 })),
    ),
  );

  const add = (from: Address, source = random): Call => {
    const pool = source.pick(pools);
    const amounts = pool.tokens.map((token) => holdings.spend(token, from, source, [20, 60]));
    return addLiquidity(context, router, from, { tokens: pool.tokens, amounts: [amounts[0] ?? 0n, amounts[1] ?? 0n] });
  };
  const remove = async (from: Address, source = random): Promise<Call[]> => {
    const pool = source.pick(pools);
    const share = await context.read<bigint>(pool.pair, artifacts.pair.abi, "balanceOf", [from]);
    const amount = (share * BigInt(source.between(100, 400))) / 1000n;
    if (amount === 0n) return [];
    // Withdraws ether instead of wrapped ether, which the router unwraps.
    const data =
      pool.tokens[1] === weth
        ? encode(artifacts.router.abi, "removeLiquidityETH", [pool.tokens[0], amount, 0n, 0n, from, farDeadline])
        : encode(artifacts.router.abi, "removeLiquidity", [...pool.tokens, amount, 0n, 0n, from, farDeadline]);
    return [{ from, to: router, data }];
  };
  const prices = createMarketPrices(
    context,
    new Map([
      [weth, { unit: ether, price: 2_500_000_000n }],
      [tokens.usd.address, { unit: tokens.usd.unit, price: 1_000_000n }],
      [tokens.gold.address, { unit: tokens.gold.unit, price: 80_000_000n }],
      [tokens.salt.address, { unit: tokens.salt.unit, price: 250_000n }],
      [tokens.toll.address, { unit: tokens.toll.unit, price: 300_000n }],
    ]),
  );
  const arbitrage = createArbitrageSwaps(context, prices, {
    maker: accounts.marketMaker,
    router,
    functionName: "swapExactTokensForTokens",
    // All four pools may draw on the maker's balance in one day.
    balanceDivisor: 5n,
  });
  const swaps = createSwaps(context, accounts, tokens, weth, exchange, prices);
  const traderRandom = context.createRandom("liquidity of the trader");
  /** The trader adds liquidity every week, and removes some of it every other week. */
  const traderCalls = async (day: number): Promise<Call[]> => {
    if (day % 7 === 2) return [add(accounts.trader, traderRandom)];
    return day % 14 === 11 ? remove(accounts.trader, traderRandom) : [];
  };
  const dailyCalls: DailyCalls = async (day) => {
    const order = [...providers.slice(day % providers.length), ...providers.slice(0, day % providers.length)];
    prices.nextDay();
    const arbitrageSwaps = await arbitrage(pools);
    const removals: Call[] = [];
    // Each provider removes once, because its balance is read at the start of the day.
    for (const provider of order.slice(0, context.scaled(3))) removals.push(...(await remove(provider)));
    const additions = order.slice(0, context.scaled(5)).map((provider) => add(provider));
    return [...arbitrageSwaps, ...removals, ...additions, ...(await traderCalls(day)), ...swaps(day)];
  };
  return { exchange, prices, dailyCalls };
};
