import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { createCorrections } from "./exchange-corrections.ts";
import type { Market } from "./exchange-prices.ts";
import { farDeadline, type RivalExchange, unlimited } from "./exchange-types.ts";
import type { People } from "./people.ts";
import { drainDay, openRivalLiquidity } from "./rival-liquidity.ts";
import { createRivalSwaps } from "./rival-swaps.ts";
import type { Tokens } from "./tokens.ts";
import { createWashTrades, endowWashTraders } from "./wash-trades.ts";

const ether = 10n ** 18n;
/** Rarer than on the first exchange, whose prices it therefore misses by a little. */
const daysBetweenCorrections = 3;

/** The tokens that only this exchange trades, with base units per whole token. */
const ticketUnit = 1n;
const saffronUnit = 10n ** 27n;

const issueTokens = async (stage: ChapterContext, people: People, market: Market) => {
  const { measuredCoin } = stage.artifacts;
  const ticket = await stage.deploy(people.deployer, measuredCoin, ["Ferry Ticket", "FERRY", 0, 1_000_000n * ticketUnit]);
  const saffron = await stage.deploy(people.deployer, measuredCoin, ["Saffron", "SAFF", 27, 2_000_000n * saffronUnit]);
  market.list(ticket, { unit: ticketUnit, price: 3_000_000n });
  market.list(saffron, { unit: saffronUnit, price: 12_000_000n });
  return { ticket, saffron };
};

/** The initial balances of the market maker and the traders in the new tokens. */
const endow = async (
  stage: ChapterContext,
  people: People,
  tokens: Tokens,
  weth: Address,
  { ticket, saffron }: Pick<RivalExchange, "ticket" | "saffron">,
  traders: readonly Address[],
): Promise<void> => {
  const { deployer, keeper } = people;
  const { usd, gold, salt, toll, airdrop } = tokens;
  const { artifacts, holdings } = stage;
  const mint = ({ address, abi, unit }: Tokens["usd"], whole: bigint): Call => ({
    from: deployer,
    to: address,
    data: encode(abi, "mint", [keeper, whole * unit]),
  });
  const transfer = (to: Address, amount: bigint): Call => ({ from: deployer, to, data: encodeTransfer(keeper, amount), gas: 120_000 });
  const drop = (token: Address, each: bigint): Call[] => {
    for (const trader of traders) holdings.receive(token, trader, each);
    const data = encode(artifacts.airdrop.abi, "drop", [token, traders, each]);
    return [
      { from: deployer, to: token, data: encodeApprove(airdrop, unlimited), gas: 80_000 },
      { from: deployer, to: airdrop, data, gas: 100_000 + traders.length * 60_000 },
    ];
  };
  await stage.play([
    ...[mint(usd, 1_700_000n), mint(gold, 5_000n), mint(salt, 800_000n)],
    { from: keeper, to: weth, value: 900n * ether, data: encode(artifacts.weth.abi, "deposit"), gas: 60_000 },
    ...[transfer(toll.address, 900_000n * toll.unit), transfer(ticket, 90_000n * ticketUnit), transfer(saffron, 36_000n * saffronUnit)],
    ...drop(ticket, 1_000n * ticketUnit),
    ...drop(saffron, 150n * saffronUnit),
  ]);
};

const openPairs = async (
  stage: ChapterContext,
  people: People,
  { usd, salt, toll, old }: Tokens,
  weth: Address,
  { ticket, saffron }: Pick<RivalExchange, "ticket" | "saffron">,
): Promise<Pick<RivalExchange, "factory" | "router" | "pairs">> => {
  const { artifacts } = stage;
  const { deployer, keeper, washTraders } = people;
  const factory = await stage.deploy(deployer, artifacts.factory, [deployer]);
  const router = await stage.deploy(deployer, artifacts.router, [factory, weth]);
  const deposit = (from: Address, pair: readonly [Address, Address], amounts: readonly [bigint, bigint]): Call => {
    const data = encode(artifacts.router.abi, "addLiquidity", [...pair, ...amounts, 0n, 0n, from, farDeadline]);
    return { from, to: router, data, gas: 4_000_000 };
  };
  const washDeposit = await endowWashTraders(stage, people, { usd, old }, router);
  await stage.play([
    // The exchange takes its sixth of the fees, in shares that every change of liquidity mints.
    { from: deployer, to: factory, data: encode(artifacts.factory.abi, "setFeeTo", [deployer]), gas: 80_000 },
    ...[usd.address, weth, salt.address, toll.address, ticket, saffron].map(
      (token): Call => ({ from: keeper, to: token, data: encodeApprove(router, unlimited), gas: 80_000 }),
    ),
    deposit(keeper, [weth, usd.address], [160n * ether, 400_000n * usd.unit]),
    deposit(keeper, [salt.address, weth], [400_000n * salt.unit, 40n * ether]),
    deposit(keeper, [toll.address, usd.address], [500_000n * toll.unit, 150_000n * usd.unit]),
    deposit(keeper, [ticket, usd.address], [50_000n * ticketUnit, 150_000n * usd.unit]),
    deposit(keeper, [saffron, weth], [20_800n * saffronUnit, 100n * ether]),
    deposit(washTraders[0], [old.address, usd.address], washDeposit),
  ]);
  const pairOf = async (...pair: readonly [Address, Address]): Promise<Address> =>
    (await stage.read<Address>(factory, artifacts.factory.abi, "getPair", pair)).toLowerCase() as Address;
  return {
    factory,
    router,
    pairs: {
      dollarEther: await pairOf(weth, usd.address),
      saltEther: await pairOf(salt.address, weth),
      tollDollar: await pairOf(toll.address, usd.address),
      ticketDollar: await pairOf(ticket, usd.address),
      saffronEther: await pairOf(saffron, weth),
      wash: await pairOf(old.address, usd.address),
    },
  };
};

/** A second exchange of the same contracts, with a separate factory: new tokens, liquidity that comes and goes, a pool that is drained, and wash trades. */
export const openRivalExchange = async (
  stage: ChapterContext,
  people: People,
  tokens: Tokens,
  weth: Address,
  market: Market,
): Promise<{ rival: RivalExchange; scene: Scene }> => {
  const crowd = people.dealers.slice(0, Math.max(6, stage.scaled(20)));
  const traders = [people.trader, ...crowd];
  const issued = await issueTokens(stage, people, market);
  await endow(stage, people, tokens, weth, issued, traders);
  const rival: RivalExchange = { ...issued, ...(await openPairs(stage, people, tokens, weth, issued)) };
  const { router, pairs } = rival;
  const usd = tokens.usd.address;
  const dealt = [usd, weth, tokens.salt.address, tokens.toll.address, rival.ticket, rival.saffron];
  await stage.play(
    traders.flatMap((from) => dealt.map((token): Call => ({ from, to: token, data: encodeApprove(router, unlimited), gas: 80_000 }))),
  );
  const lasting = [
    { pair: pairs.dollarEther, tokens: [weth, usd] },
    { pair: pairs.tollDollar, tokens: [tokens.toll.address, usd] },
    { pair: pairs.ticketDollar, tokens: [rival.ticket, usd] },
    { pair: pairs.saffronEther, tokens: [rival.saffron, weth] },
  ] as const;
  const drained = { pair: pairs.saltEther, tokens: [tokens.salt.address, weth] } as const;
  const liquidity = await openRivalLiquidity(stage, people, rival, weth, { lasting, drained, providers: crowd.slice(0, 5) });
  const swaps = createRivalSwaps(stage, people, tokens, weth, rival, crowd);
  const washTrades = createWashTrades(stage, people, tokens, router);
  const correct = createCorrections(stage, market, {
    maker: people.keeper,
    router,
    functionName: "swapExactTokensForTokensSupportingFeeOnTransferTokens",
    // Five pools here and two of the third exchange in a day.
    purseParts: 8n,
  });
  const scene: Scene = async (day) => [
    ...(day % daysBetweenCorrections === 0 ? await correct(day < drainDay ? [...lasting, drained] : lasting) : []),
    ...(await liquidity(day)),
    ...swaps(day),
    ...(await washTrades(day)),
  ];
  return { rival, scene };
};
