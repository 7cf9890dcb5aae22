import type { ChainConfig } from "../../runtime/config/config.ts";
import { chainConfigSchema } from "../../runtime/config/config.ts";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { artifacts, startTestChain, type TestChain, type TestTransaction } from "../../test/support/chain.ts";
import { createRandom, hexOf } from "../support/random.ts";
import { approve, type ChainExchange, deployConcentrated, deployConstantProduct, deployFeed, mint, transfer } from "./contracts.ts";

/** The size of a generated swap history. */
export interface SwapHistorySize {
  /** Excludes the setup of tokens and pools. */
  readonly transactions: number;
  readonly blocks: number;
}

export interface SwapHistory extends TestChain {
  readonly swapCount: number;
  readonly poolCount: number;
  readonly config: ChainConfig;
}

const tokenCount = 24;
/** The number of pools on each constant-product exchange, then on the concentrated one. */
const poolCounts = [200, 200, 100] as const;
const tradersPerExchange = 20;
const recipientCount = 5_000;
/** Per hundred transactions: swaps, token transfers and feed answers; the others are native transfers. */
const shares = { swaps: 60, transfers: 30, answers: 1 } as const;
const blockSeconds = 12;
const wholeToken = 10n ** 18n;

interface Market {
  readonly exchanges: readonly ChainExchange[];
  readonly tokens: readonly Address[];
  readonly pools: readonly (readonly (readonly [Address, Address])[])[];
  readonly traders: readonly (readonly Address[])[];
  readonly publishAnswer: (answer: bigint, round: bigint, time: bigint) => TestTransaction;
}

const feed = hexOf(41, 0, 5);
/** An address without code: the history has no answers of this feed. */
const euroFeed = hexOf(41, 1, 5);

/** Starts a node with a swap history on real exchanges. The same size generates the same history. */
export async function startSwapHistory(size: SwapHistorySize, cacheFolder: string): Promise<SwapHistory> {
  const chain = await startTestChain({ args: ["--prune-history", "10", "--cache-path", cacheFolder] });
  try {
    const market = await openMarket(chain);
    const swaps = await trade(chain, market, size);
    const pools = market.pools.reduce((sum, { length }) => sum + length, 0);
    return { ...chain, swapCount: swaps, poolCount: pools, config: await configOf(chain, market) };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

async function openMarket(chain: TestChain): Promise<Market> {
  const wrapped = await chain.deploy(artifacts.weth());
  const exchanges = [
    await deployConstantProduct(chain, "harbor", wrapped),
    await deployConstantProduct(chain, "lighthouse", wrapped),
    await deployConcentrated(chain, "narrows", wrapped),
  ];
  const tokens: Address[] = [];
  for (let number = 0; number < tokenCount; number += 1)
    tokens.push(await chain.deploy(artifacts.erc20(), [`Coin ${number}`, `C${number}`]));
  const traders = exchanges.map((_, exchange) =>
    Array.from({ length: tradersPerExchange }, (__, number) => hexOf(42, exchange * tradersPerExchange + number, 5)),
  );
  const [provider] = chain.accounts as [Address];
  const allTraders = traders.flat();
  await chain.batch(allTraders.map((account) => ({ method: "anvil_setBalance", params: [account, `0x${(10n ** 24n).toString(16)}`] })));
  await mineAll(chain, 100, [
    ...[provider, ...allTraders].flatMap((account) => tokens.map((token) => mint(token, account, 10n ** 12n * wholeToken))),
    ...exchanges.flatMap(({ spenders }, position) =>
      [provider, ...(traders[position] ?? [])].flatMap((account) =>
        spenders.flatMap((spender) => tokens.map((token) => approve(account, token, spender))),
      ),
    ),
  ]);
  const pairs = tokens.flatMap((left, position) =>
    tokens
      .slice(position + 1)
      .map((right) => (left.toLowerCase() < right.toLowerCase() ? ([left, right] as const) : ([right, left] as const))),
  );
  const pools = exchanges.map((_, position) => pairs.slice(0, poolCounts[position]));
  await mineAll(
    chain,
    4,
    exchanges.flatMap(({ createPool }, position) =>
      (pools[position] ?? []).flatMap((pair) => createPool(provider, pair, 10n ** 6n * wholeToken)),
    ),
  );
  return { exchanges, tokens, pools, traders, publishAnswer: await deployFeed(chain, feed) };
}

/** Sends a limited number of transactions per block, so that their gas fits. @throws {Error} if one fails. */
async function mineAll(chain: TestChain, perBlock: number, transactions: readonly TestTransaction[]): Promise<void> {
  for (let first = 0; first < transactions.length; first += perBlock) {
    const hashes = await chain.send(...transactions.slice(first, first + perBlock));
    await chain.mine();
    const receipts = await chain.batch<{ status: Hex }>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
    const failed = receipts.findIndex(({ status }) => status !== "0x1");
    if (failed !== -1) throw new Error(`Transaction ${hashes[failed]} of the exchanges' setup reverted`);
  }
}

/** Sends the transactions of the history; returns the number of swaps among them. */
async function trade(chain: TestChain, market: Market, { transactions, blocks }: SwapHistorySize): Promise<number> {
  const random = createRandom(1);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  /** Some pools have far more swaps than others. */
  const pickSkewed = <T>(items: readonly T[]): T => items[Math.floor(random() ** 3 * items.length)] as T;
  const { timestamp } = await chain.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  const start = Number(timestamp);
  let swaps = 0;
  const next = (number: number, time: number): TestTransaction => {
    const chance = random() * 100;
    const exchange = pick([0, 0, 1, 1, 2]);
    const trader = pick(market.traders[exchange] ?? []);
    const amount = BigInt(1 + Math.floor(random() * 1_000)) * wholeToken;
    if (chance < shares.swaps) {
      swaps += 1;
      const [left, right] = pickSkewed(market.pools[exchange] ?? []);
      const isForward = random() < 0.5;
      return (market.exchanges[exchange] as ChainExchange).swap(trader, amount, isForward ? [left, right] : [right, left]);
    }
    if (chance < shares.swaps + shares.transfers)
      return transfer(trader, pick(market.tokens), hexOf(43, Math.floor(random() * recipientCount), 5), amount);
    if (chance < shares.swaps + shares.transfers + shares.answers)
      return market.publishAnswer(2_500n * 10n ** 8n + BigInt(Math.floor(random() * 1e8)), BigInt(number), BigInt(time));
    return { from: trader, to: hexOf(43, Math.floor(random() * recipientCount), 5), value: 10n ** 15n, gas: 21_000n };
  };
  for (let block = 0, sent = 0; block < blocks; block += 1) {
    const until = Math.floor((transactions * (block + 1)) / blocks);
    const time = start + (block + 1) * blockSeconds;
    await chain.send(...Array.from({ length: until - sent }, (_, index) => next(sent + index, time)));
    await chain.mine(time);
    sent = until;
  }
  return swaps;
}

async function configOf(chain: TestChain, { exchanges, tokens }: Market): Promise<ChainConfig> {
  const [native, dollars] = tokens;
  return chainConfigSchema.parse({
    name: "bench",
    id: Number(await chain.rpc("eth_chainId")),
    rpc: chain.url,
    nativeAccounting: "none",
    wrappedNative: [native],
    exchanges: exchanges.map(({ name, family, factory }) => ({ name, family, factory, ...(family === "xy=k" ? { feePpm: 3_000 } : {}) })),
    prices: {
      feeds: [
        { of: "native", in: "USD", aggregators: [feed] },
        { of: "EUR", in: "USD", aggregators: [euroFeed] },
      ],
      stablecoins: [{ token: dollars, currency: "USD" }],
    },
  });
}
