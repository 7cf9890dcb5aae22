import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { createArbitrageSwaps } from "./exchange-arbitrage.ts";
import { farDeadline, type RivalExchange, unlimited } from "./exchange-types.ts";
import type { MarketPrices } from "./market-prices.ts";
import { drainDay, setUpRivalLiquidity } from "./rival-liquidity.ts";
import { createRivalSwaps } from "./rival-swaps.ts";
import type { Tokens } from "./tokens.ts";
import { createWashTrades, fundWashTraders } from "./wash-trades.ts";

const ether = 10n ** 18n;
/** Arbitrage is rarer than on the first exchange, so that the prices differ a little. */
const daysBetweenArbitrage = 3;

/** The tokens that only this exchange trades, with base units per whole token. */
const ticketUnit = 1n;
const saffronUnit = 10n ** 27n;

const issueTokens = async (context: StoryContext, accounts: Accounts, prices: MarketPrices) => {
  const { customDecimalsToken } = context.artifacts;
  const ticket = await context.deploy(accounts.deployer, customDecimalsToken, ["Ferry Ticket", "FERRY", 0, 1_000_000n * ticketUnit]);
  const saffron = await context.deploy(accounts.deployer, customDecimalsToken, ["Saffron", "SAFF", 27, 2_000_000n * saffronUnit]);
  prices.add(ticket, { unit: ticketUnit, price: 3_000_000n });
  prices.add(saffron, { unit: saffronUnit, price: 12_000_000n });
  return { ticket, saffron };
};

/** Funds the market maker and the traders. */
const fundTraders = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  weth: Address,
  { ticket, saffron }: Pick<RivalExchange, "ticket" | "saffron">,
  traders: readonly Address[],
): Promise<void> => {
  const { deployer, secondMarketMaker } = accounts;
  const { usd, gold, salt, toll, airdrop } = tokens;
  const { artifacts, holdings } = context;
  const mint = ({ address, abi, unit }: Tokens["usd"], whole: bigint): Call => ({
    from: deployer,
    to: address,
    data: encode(abi, "mint", [secondMarketMaker, whole * unit]),
  });
  const transfer = (to: Address, amount: bigint): Call => ({
    from: deployer,
    to,
    data: encodeTransfer(secondMarketMaker, amount),
    gas: 120_000,
  });
  const drop = (token: Address, each: bigint): Call[] => {
    for (const trader of traders) holdings.receive(token, trader, each);
    const data = encode(artifacts.airdrop.abi, "drop", [token, traders, each]);
    return [
      { from: deployer, to: token, data: encodeApprove(airdrop, unlimited), gas: 80_000 },
      { from: deployer, to: airdrop, data, gas: 100_000 + traders.length * 60_000 },
    ];
  };
  await context.mine([
    ...[mint(usd, 1_700_000n), mint(gold, 5_000n), mint(salt, 800_000n)],
    { from: secondMarketMaker, to: weth, value: 900n * ether, data: encode(artifacts.weth.abi, "deposit"), gas: 60_000 },
    ...[transfer(toll.address, 900_000n * toll.unit), transfer(ticket, 90_000n * ticketUnit), transfer(saffron, 36_000n * saffronUnit)],
    ...drop(ticket, 1_000n * ticketUnit),
    ...drop(saffron, 150n * saffronUnit),
  ]);
};

const createPairs = async (
  context: StoryContext,
  accounts: Accounts,
  { usd, salt, toll, old }: Tokens,
  weth: Address,
  { ticket, saffron }: Pick<RivalExchange, "ticket" | "saffron">,
): Promise<Pick<RivalExchange, "factory" | "router" | "pairs">> => {
  const { artifacts } = context;
  const { deployer, secondMarketMaker, washTraders } = accounts;
  const factory = await context.deploy(deployer, artifacts.factory, [deployer]);
  const router = await context.deploy(deployer, artifacts.router, [factory, weth]);
  const deposit = (from: Address, pair: readonly [Address, Address], amounts: readonly [bigint, bigint]): Call => {
    const data = encode(artifacts.router.abi, "addLiquidity", [...pair, ...amounts, 0n, 0n, from, farDeadline]);
    return { from, to: router, data, gas: 4_000_000 };
  };
  const washDeposit = await fundWashTraders(context, accounts, { usd, old }, router);
  await context.mine([
    // Enables the protocol fee: every change of liquidity mints LP tokens worth a sixth of the fees.
    { from: deployer, to: factory, data: encode(artifacts.factory.abi, "setFeeTo", [deployer]), gas: 80_000 },
    ...[usd.address, weth, salt.address, toll.address, ticket, saffron].map(
      (token): Call => ({ from: secondMarketMaker, to: token, data: encodeApprove(router, unlimited), gas: 80_000 }),
    ),
    deposit(secondMarketMaker, [weth, usd.address], [160n * ether, 400_000n * usd.unit]),
    deposit(secondMarketMaker, [salt.address, weth], [400_000n * salt.unit, 40n * ether]),
    deposit(secondMarketMaker, [toll.address, usd.address], [500_000n * toll.unit, 150_000n * usd.unit]),
    deposit(secondMarketMaker, [ticket, usd.address], [50_000n * ticketUnit, 150_000n * usd.unit]),
    deposit(secondMarketMaker, [saffron, weth], [20_800n * saffronUnit, 100n * ether]),
    deposit(washTraders[0], [old.address, usd.address], washDeposit),
  ]);
  const pairOf = async (...pair: readonly [Address, Address]): Promise<Address> =>
    (await context.read<Address>(factory, artifacts.factory.abi, "getPair", pair)).toLowerCase() as Address;
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

/** Deploys a second Uniswap V2 exchange with new tokens, liquidity changes, a drained pool, and wash trades. */
export const setUpRivalExchange = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  weth: Address,
  prices: MarketPrices,
): Promise<{ rival: RivalExchange; dailyCalls: DailyCalls }> => {
  const users = accounts.dealers.slice(0, Math.max(6, context.scaled(20)));
  const traders = [accounts.trader, ...users];
  const issued = await issueTokens(context, accounts, prices);
  await fundTraders(context, accounts, tokens, weth, issued, traders);
  const rival: RivalExchange = { ...issued, ...(await createPairs(context, accounts, tokens, weth, issued)) };
  const { router, pairs } = rival;
  const usd = tokens.usd.address;
  const traded = [usd, weth, tokens.salt.address, tokens.toll.address, rival.ticket, rival.saffron];
  await context.mine(
    traders.flatMap((from) => traded.map((token): Call => ({ from, to: token, data: encodeApprove(router, unlimited), gas: 80_000 }))),
  );
  const permanent = [
    { pair: pairs.dollarEther, tokens: [weth, usd] },
    { pair: pairs.tollDollar, tokens: [tokens.toll.address, usd] },
    { pair: pairs.ticketDollar, tokens: [rival.ticket, usd] },
    { pair: pairs.saffronEther, tokens: [rival.saffron, weth] },
  ] as const;
  const drained = { pair: pairs.saltEther, tokens: [tokens.salt.address, weth] } as const;
  const liquidity = await setUpRivalLiquidity(context, accounts, rival, weth, { permanent, drained, providers: users.slice(0, 5) });
  const swaps = createRivalSwaps(context, accounts, tokens, weth, rival, users);
  const washTrades = createWashTrades(context, accounts, tokens, router);
  const arbitrage = createArbitrageSwaps(context, prices, {
    maker: accounts.secondMarketMaker,
    router,
    functionName: "swapExactTokensForTokensSupportingFeeOnTransferTokens",
    // Five pools here and two of the Uniswap V3 exchange draw on the maker's balance in one day.
    balanceDivisor: 8n,
  });
  const dailyCalls: DailyCalls = async (day) => [
    ...(day % daysBetweenArbitrage === 0 ? await arbitrage(day < drainDay ? [...permanent, drained] : permanent) : []),
    ...(await liquidity(day)),
    ...swaps(day),
    ...(await washTrades(day)),
  ];
  return { rival, dailyCalls };
};
