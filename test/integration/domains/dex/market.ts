import type { ChainConfig } from "../../../../runtime/config/config.ts";
import { createRollUpJobs } from "../../../../runtime/domains/dex/jobs/roll-up/jobs.ts";
import { createComputePricesJob } from "../../../../runtime/domains/prices/jobs/compute-prices/job.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { type Artifact, artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { compileSolidity } from "../../../support/solidity.ts";
import { type ConcentratedExchange, deployConcentrated, type PoolKey } from "../pools/concentrated-support.ts";
import { approve, deployExchange, mineTransactions, mint, type TestExchange } from "../pools/support.ts";
import { pricedChain } from "../prices/support.ts";

/** Tokens with any number of decimals, with or without a transfer fee; a token without metadata; a price feed. */
const compiled = compileSolidity(`
pragma solidity ^0.8.0;
contract Bare {
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  uint256 public totalSupply;
  uint256 hundredths;
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);
  function mint(address to, uint256 value) external { totalSupply += value; balanceOf[to] += value; emit Transfer(address(0), to, value); }
  function approve(address spender, uint256 value) external returns (bool) {
    allowance[msg.sender][spender] = value;
    emit Approval(msg.sender, spender, value);
    return true;
  }
  function transfer(address to, uint256 value) external returns (bool) { move(msg.sender, to, value); return true; }
  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    allowance[from][msg.sender] -= value;
    move(from, to, value);
    return true;
  }
  function move(address from, address to, uint256 value) private {
    uint256 lost = value * hundredths / 100;
    balanceOf[from] -= value;
    balanceOf[to] += value - lost;
    emit Transfer(from, to, value - lost);
    if (lost == 0) return;
    totalSupply -= lost;
    emit Transfer(from, address(0), lost);
  }
}
contract Coin is Bare {
  string public symbol;
  string public name;
  uint8 public decimals;
  constructor(string memory symbol_, uint8 decimals_, uint256 toll) { symbol = symbol_; name = symbol_; decimals = decimals_; hundredths = toll; }
}
contract Feed {
  event AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt);
  uint256 rounds;
  function answer(int256 value) external { emit AnswerUpdated(value, ++rounds, block.timestamp); }
}`);

const toLower = (address: string): Address => address.toLowerCase() as Address;
const deploy = async (chain: TestChain, artifact: Artifact, args: readonly unknown[] = []) => toLower(await chain.deploy(artifact, args));

/** The first midnight after the chain's genesis at 2023-11-14T22:13:20Z. */
export const firstMidnight = Date.UTC(2023, 10, 15) / 1000;

/** Decimals of the first five: 6, 18, 0, 27, 18. Toll has a 1 % transfer fee, silk only a concentrated pool, bare no metadata, mist no pool. */
export type MarketToken = "usd" | "gold" | "ticket" | "saffron" | "toll" | "silk" | "bare" | "mist";

/** Smallest units per whole token; unknown to the index for the bare token. */
export const units = {
  usd: 10n ** 6n,
  gold: 10n ** 18n,
  ticket: 1n,
  saffron: 10n ** 27n,
  toll: 10n ** 18n,
  silk: 10n ** 18n,
  bare: 1n,
  mist: 10n ** 18n,
};

/** A chain with two constant-product exchanges, a concentrated one, and two price feeds. */
export interface Market {
  readonly chain: TestChain;
  readonly mainExchange: TestExchange;
  readonly twinExchange: TestExchange;
  readonly concentratedExchange: ConcentratedExchange;
  readonly concentratedPoolKey: PoolKey;
  readonly concentratedPool: Address;
  readonly people: readonly [Address, Address, Address];
  readonly tokens: Readonly<Record<MarketToken, Address>>;
  readonly pairs: Readonly<Record<"gold" | "ticket" | "bare" | "twinGold" | "saffron" | "toll", Address>>;
  readonly feeds: Readonly<Record<"ether" | "euro", Address>>;
  readonly config: ChainConfig;
  readonly exchanges: readonly { readonly name: string; readonly factory: Address; readonly family?: "concentrated" }[];
  /** Updates a feed's answer, in dollars with eight decimals. */
  answer(feed: "ether" | "euro", dollars: bigint): TestTransaction;
  /** Approves the router for the first person's shares of a pair, so that they can be burnt. */
  approveShares(pair: Address): TestTransaction;
  /** Mines the transactions in one block with a timestamp (unix seconds). */
  mineBlock(time: number, ...transactions: readonly TestTransaction[]): Promise<void>;
  /** The price and roll-up jobs, in their state after a restart. */
  jobs(): ReturnType<typeof createRollUpJobs>;
}

/** Starts a chain with pools. Gold costs 3,000 dollars, ticket 10, saffron 0.15, toll 2 and silk 5; the pool of bare is too small for a price. */
export const startMarket = async (): Promise<Market> => {
  const chain = await startTestChain();
  const people = chain.accounts.slice(1, 4).map(toLower) as unknown as Market["people"];
  const weth = await deploy(chain, artifacts.weth());
  const [mainExchange, twinExchange, concentratedExchange] = [
    await deployExchange(chain, weth),
    await deployExchange(chain, weth),
    await deployConcentrated(chain, weth),
  ];
  const coin = (name: string, decimals: number, toll = 0) => deploy(chain, compiled("Coin"), [name, decimals, toll]);
  const tokens = {
    usd: await coin("USD", 6),
    gold: await coin("GOLD", 18),
    ticket: await coin("TICKET", 0),
    saffron: await coin("SAFFRON", 27),
    toll: await coin("TOLL", 18, 1),
    silk: await coin("SILK", 18),
    mist: await coin("MIST", 18),
    bare: await deploy(chain, compiled("Bare")),
  };
  const feeds = { ether: await deploy(chain, compiled("Feed")), euro: await deploy(chain, compiled("Feed")) };
  const spenders = [mainExchange.router, twinExchange.router, concentratedExchange.positionManager, concentratedExchange.router];
  const approvals = (token: Address) => people.flatMap((person) => spenders.map((spender) => approve(person, token, spender)));
  for (const token of Object.values(tokens))
    await mineTransactions(chain, [...people.map((person) => mint(token, person, 10n ** 36n)), ...approvals(token)]);
  const { usd, gold, ticket, saffron, toll, silk, bare } = tokens;
  const answer: Market["answer"] = (feed, dollars) => ({
    gas: 200_000n,
    ...encodeCall(compiled("Feed"), feeds[feed], "answer", [dollars]),
  });
  const [first] = people;
  const concentratedPoolKey: PoolKey = { tokens: [usd, silk].sort() as unknown as PoolKey["tokens"], fee: 3000 };
  const isUsdFirst = concentratedPoolKey.tokens[0] === usd;
  const deposits = [500_000n * units.usd, 100_000n * units.silk] as const;
  // The square root of 2·10^11 smallest units of silk per unit of a dollar, or of its inverse, times 2^96.
  const root = 447_213n;
  await mineTransactions(chain, [
    mainExchange.addLiquidity(first, [usd, gold], [3_000_000n * units.usd, 1_000n * units.gold]),
    mainExchange.addLiquidity(first, [usd, ticket], [200_000n * units.usd, 20_000n]),
    mainExchange.addLiquidity(first, [gold, bare], [units.gold, 10n ** 9n]),
    twinExchange.addLiquidity(first, [usd, gold], [600_000n * units.usd, 199n * units.gold]),
    twinExchange.addLiquidity(first, [gold, saffron], [50n * units.gold, 1_000_000n * units.saffron]),
  ]);
  await mineTransactions(chain, [
    twinExchange.addLiquidity(first, [usd, toll], [100_000n * units.usd, 50_000n * units.toll]),
    concentratedExchange.create(concentratedPoolKey, isUsdFirst ? root * 2n ** 96n : 2n ** 96n / root),
  ]);
  await mineTransactions(chain, [
    concentratedExchange.openPosition(first, concentratedPoolKey, [-887_220, 887_220], isUsdFirst ? deposits : [deposits[1], deposits[0]]),
    answer("ether", 2_000_00000000n),
    answer("euro", 1_10000000n),
  ]);
  const pairs = {
    gold: await mainExchange.pairOf(usd, gold),
    ticket: await mainExchange.pairOf(usd, ticket),
    bare: await mainExchange.pairOf(gold, bare),
    twinGold: await twinExchange.pairOf(usd, gold),
    saffron: await twinExchange.pairOf(gold, saffron),
    toll: await twinExchange.pairOf(usd, toll),
  };
  const isTwinPair = (pair: Address): boolean => [pairs.twinGold, pairs.saffron, pairs.toll].includes(pair);
  const approveShares: Market["approveShares"] = (pair) =>
    approve(first, pair, isTwinPair(pair) ? twinExchange.router : mainExchange.router);
  await mineTransactions(chain, Object.values(pairs).map(approveShares));
  const config = pricedChain({
    exchanges: [
      { name: "swap", factory: mainExchange.factory, feePpm: 3_000 },
      { name: "twin", factory: twinExchange.factory, feePpm: 3_000 },
      { name: "ranges", factory: concentratedExchange.factory, family: "concentrated" },
    ],
    wrappedNative: [weth],
    prices: {
      feeds: [
        { of: "native", aggregators: [feeds.ether] },
        { of: "EUR", aggregators: [feeds.euro] },
      ],
      stablecoins: [{ token: usd }],
    },
  });
  return {
    chain,
    mainExchange,
    twinExchange,
    concentratedExchange,
    concentratedPoolKey,
    concentratedPool: await concentratedExchange.poolOf(concentratedPoolKey),
    people,
    tokens,
    pairs,
    feeds,
    config,
    exchanges: [
      { name: "swap", factory: mainExchange.factory },
      { name: "twin", factory: twinExchange.factory },
      { name: "ranges", factory: concentratedExchange.factory, family: "concentrated" },
    ],
    answer,
    approveShares,
    mineBlock: async (time, ...transactions) => void (await mineTransactions(chain, transactions, time)),
    jobs: () => [createComputePricesJob(config), ...createRollUpJobs(config)],
  };
};
