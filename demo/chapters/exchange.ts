import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { createCorrections } from "./exchange-corrections.ts";
import { createMarket, type Market } from "./exchange-prices.ts";
import { createSwaps } from "./exchange-swaps.ts";
import { type Exchange, farDeadline, unlimited } from "./exchange-types.ts";
import type { People } from "./people.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;

interface Deposit {
  readonly tokens: readonly [Address, Address];
  readonly amounts: readonly [bigint, bigint];
}

const addLiquidity = (stage: ChapterContext, router: Address, from: Address, { tokens, amounts }: Deposit): Call => {
  const data = encode(stage.artifacts.router.abi, "addLiquidity", [...tokens, ...amounts, 0n, 0n, from, farDeadline]);
  return { from, to: router, data, gas: 4_000_000 };
};

const openPairs = async (stage: ChapterContext, people: People, tokens: Tokens, weth: Address): Promise<Exchange> => {
  const { artifacts } = stage;
  const { usd, gold, salt } = tokens;
  const maker = people.marketMaker;
  const factory = await stage.deploy(people.deployer, artifacts.factory, [people.deployer]);
  const router = await stage.deploy(people.deployer, artifacts.router, [factory, weth]);
  const dealt = [usd.address, gold.address, salt.address, weth];
  const approvals = [maker, people.trader, ...people.dealers].flatMap((owner) =>
    dealt.map((token): Call => ({ from: owner, to: token, data: encodeApprove(router, unlimited), gas: 80_000 })),
  );
  await stage.play(approvals);
  const deposits: readonly Deposit[] = [
    { tokens: [weth, usd.address], amounts: [500n * ether, 1_250_000n * usd.unit] },
    { tokens: [gold.address, usd.address], amounts: [20_000n * gold.unit, 1_600_000n * usd.unit] },
    { tokens: [gold.address, weth], amounts: [8_000n * gold.unit, 256n * ether] },
    { tokens: [salt.address, weth], amounts: [2_000_000n * salt.unit, 200n * ether] },
  ];
  for (const { tokens: pair, amounts } of deposits) {
    stage.holdings.take(pair[0], maker, amounts[0]);
    stage.holdings.take(pair[1], maker, amounts[1]);
  }
  await stage.play(deposits.map((deposit) => addLiquidity(stage, router, maker, deposit)));
  const pairOf = async (deposit: Deposit | undefined): Promise<Address> => {
    const pair = await stage.read<Address>(factory, artifacts.factory.abi, "getPair", deposit?.tokens ?? []);
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

/** The exchange, and on each day swaps, liquidity added and liquidity removed. */
export const openExchange = async (
  stage: ChapterContext,
  people: People,
  tokens: Tokens,
  weth: Address,
): Promise<{ exchange: Exchange; market: Market; scene: Scene }> => {
  const exchange = await openPairs(stage, people, tokens, weth);
  const { holdings, artifacts } = stage;
  const { router, pairs } = exchange;
  const random = stage.random("liquidity");
  const providers = people.dealers.slice(0, Math.max(3, stage.scaled(12)));
  const pools = [
    { pair: pairs.dollarEther, tokens: [weth, tokens.usd.address] },
    { pair: pairs.goldDollar, tokens: [tokens.gold.address, tokens.usd.address] },
    { pair: pairs.goldEther, tokens: [tokens.gold.address, weth] },
    { pair: pairs.saltEther, tokens: [tokens.salt.address, weth] },
  ] as const;
  await stage.play(
    providers.flatMap((from) => pools.map(({ pair }): Call => ({ from, to: pair, data: encodeApprove(router, unlimited), gas: 80_000 }))),
  );

  const add = (from: Address): Call => {
    const pool = random.pick(pools);
    const amounts = pool.tokens.map((token) => holdings.spend(token, from, random, [20, 60]));
    return addLiquidity(stage, router, from, { tokens: pool.tokens, amounts: [amounts[0] ?? 0n, amounts[1] ?? 0n] });
  };
  const remove = async (from: Address): Promise<Call[]> => {
    const pool = random.pick(pools);
    const share = await stage.read<bigint>(pool.pair, artifacts.pair.abi, "balanceOf", [from]);
    const amount = (share * BigInt(random.between(100, 400))) / 1000n;
    if (amount === 0n) return [];
    // In ether where the pool has some: the router unwraps it on the way out.
    const data =
      pool.tokens[1] === weth
        ? encode(artifacts.router.abi, "removeLiquidityETH", [pool.tokens[0], amount, 0n, 0n, from, farDeadline])
        : encode(artifacts.router.abi, "removeLiquidity", [...pool.tokens, amount, 0n, 0n, from, farDeadline]);
    return [{ from, to: router, data }];
  };
  const market = createMarket(
    stage,
    new Map([
      [weth, { unit: ether, price: 2_500_000_000n }],
      [tokens.usd.address, { unit: tokens.usd.unit, price: 1_000_000n }],
      [tokens.gold.address, { unit: tokens.gold.unit, price: 80_000_000n }],
      [tokens.salt.address, { unit: tokens.salt.unit, price: 250_000n }],
      [tokens.toll.address, { unit: tokens.toll.unit, price: 300_000n }],
    ]),
  );
  const correct = createCorrections(stage, market, {
    maker: people.marketMaker,
    router,
    functionName: "swapExactTokensForTokens",
    // Up to four pools a day.
    purseParts: 5n,
  });
  const swaps = createSwaps(stage, people, tokens, weth, exchange, market);
  const scene: Scene = async (day) => {
    const order = [...providers.slice(day % providers.length), ...providers.slice(0, day % providers.length)];
    market.wander();
    const corrections = await correct(pools);
    const removals: Call[] = [];
    // In sequence, and of different providers: each reads its owner's balance at the start of the day.
    for (const provider of order.slice(0, stage.scaled(3))) removals.push(...(await remove(provider)));
    return [...corrections, ...removals, ...order.slice(0, stage.scaled(5)).map(add), ...swaps(day)];
  };
  return { exchange, market, scene };
};
