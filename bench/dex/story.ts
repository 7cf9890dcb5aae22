import type { ChainTransaction } from "../../runtime/chain/types.ts";
import type { DecodedBlock } from "../../runtime/events/decoded-block.ts";
import { type Address, type Hash, zeroAddress } from "../../runtime/lib/hex.ts";
import { createRandom, hexOf } from "../support/random.ts";
import { type Market, type MarketPool, type MarketSize, marketOf, providerOf, timeOfBlock, traderOf } from "./market.ts";
import { type LogWriter, writeCreation, writeDeposit, writeSwap, writeTransfer, writeWithdrawal } from "./pool-events.ts";
import { createSimulatedPool, type SimulatedPool } from "./simulated-pool.ts";

/** Incremented when the same size generates different blocks. */
export const storyVersion = 1;

const emptyHash = `0x${"0".repeat(64)}` as Hash;
const kinds = { transaction: 31, block: 32 } as const;
/** The fractions of transactions that add or remove liquidity, and of swaps that use two pools. */
const addingShare = 0.006;
const removingShare = 0.004;
const twoHopShare = 0.125;
const maxTradeMillionths = 5_000;

/**
 * Generates the decoded blocks of a market in order. Pools are created in the first tenth of the blocks, the busiest first. The fifth of the
 * pools with the fewest swaps becomes inactive later. The frequency of swaps falls with a pool's number (Zipf's law). The only token transfers are
 * transfers of LP tokens, and one initial transfer of each token.
 */
export function* generateMarket(size: MarketSize): Generator<DecodedBlock> {
  const market = marketOf(size);
  const { blockCount, pools } = market;
  const builder = createStoryBuilder(size, market);
  let parentHash = emptyHash;
  for (let number = 0; number < blockCount; number += 1) {
    const targetSwaps = Math.floor((size.swaps * (number + 1)) / blockCount);
    const targetPools = Math.min(pools.length, 10 + Math.floor((pools.length * 10 * number) / blockCount));
    const { transactions, events } = builder.addBlock(number, targetSwaps, targetPools);
    const hash = hexOf(kinds.block, number, 8);
    const block = {
      number,
      hash,
      parentHash,
      timestamp: timeOfBlock(market, size.until, number),
      miner: zeroAddress,
      extraData: "0x" as const,
      gasUsed: BigInt(transactions.length) * 150_000n,
      gasLimit: 30_000_000n,
      baseFeePerGas: 10n ** 9n,
      size: 1_000 + transactions.length * 400,
      transactions,
      withdrawals: [],
      balances: null,
    };
    yield { block, events };
    parentHash = hash;
  }
}

interface OpenPool {
  readonly pool: MarketPool;
  readonly simulatedPool: SimulatedPool;
}

const createStoryBuilder = (size: MarketSize, market: Market) => {
  const random = createRandom(size.seed + 1);
  const open: OpenPool[] = [];
  const pick = createPicker(market, random);
  let swaps = 0;
  let transaction = 0;

  const openNext = (log: LogWriter): Address => {
    const pool = market.pools[open.length] as MarketPool;
    const simulatedPool = createSimulatedPool(pool);
    open.push({ pool, simulatedPool });
    writeCreation(log, pool, simulatedPool);
    return pool.provider;
  };

  const swap = (log: LogWriter, { pool, simulatedPool }: OpenPool, to: Address): void => {
    const trade = simulatedPool.trade(simulatedPool.sideOf(random()), 100 + Math.floor(random() ** 3 * maxTradeMillionths));
    if (trade === null) throw new Error(`Pool ${pool.number} has too little liquidity to trade`);
    writeSwap(log, pool, simulatedPool, trade, to);
    swaps += 1;
  };

  /** Writes a transaction's events; returns its sender and the called contract. */
  const writeAction = (log: LogWriter, number: number, targetSwaps: number): readonly [Address, Address] => {
    const chosen = open[pick(number, open.length)] as OpenPool;
    const { pool, simulatedPool } = chosen;
    const chance = random();
    const canChange = pool.exchange.family === "xy=k";
    if (canChange && chance < addingShare) {
      const change = simulatedPool.add(1 + Math.floor(random() * 20));
      const isFirstProvider = random() < 0.7;
      const provider = isFirstProvider ? pool.provider : providerOf(Math.floor(random() * 2 ** 20));
      if (isFirstProvider) simulatedPool.providerShares += change.shares;
      writeDeposit(log, pool, simulatedPool, change, provider);
      return [provider, pool.exchange.router];
    }
    if (canChange && chance < addingShare + removingShare) {
      writeWithdrawal(log, pool, simulatedPool, simulatedPool.remove(1 + Math.floor(random() * 20)));
      return [pool.provider, pool.exchange.router];
    }
    const trader = random() < 0.05 ? market.bot : traderOf(Math.floor(random() ** 3 * market.traderCount));
    if (random() < twoHopShare && swaps + 2 <= targetSwaps) {
      const next = open[pick(number, open.length)] as OpenPool;
      swap(log, chosen, next.pool.address);
      swap(log, next, trader);
    } else swap(log, chosen, trader);
    return [trader, pool.exchange.router];
  };

  return {
    /** Generates the transactions of a block until the totals of swaps and pools are reached. */
    addBlock: (number: number, targetSwaps: number, targetPools: number) => {
      const log: LogWriter = { events: [], transactionIndex: 0, logIndex: 0 };
      const transactions: ChainTransaction[] = [];
      const endTransaction = (from: Address, to: Address): void => {
        transactions.push(toTransaction(transaction, log.transactionIndex, from, to));
        transaction += 1;
        log.transactionIndex += 1;
      };
      if (number === 0) {
        for (const { address } of market.tokens) writeTransfer(log, address, zeroAddress, market.whale, 10n ** 30n);
        endTransaction(market.whale, market.whale);
      }
      while (open.length < targetPools) {
        const provider = openNext(log);
        endTransaction(provider, open.at(-1)?.pool.exchange.router ?? provider);
      }
      while (swaps < targetSwaps) endTransaction(...writeAction(log, number, targetSwaps));
      return { transactions, events: log.events };
    },
  };
};

/** Creates a function that chooses an existing active pool by weight. */
const createPicker = ({ pools, blockCount }: Market, random: () => number) => {
  const sums = new Float64Array(pools.length);
  let sum = 0;
  for (let number = 0; number < pools.length; number += 1) {
    sum += 1 / (number + 1);
    sums[number] = sum;
  }
  const alwaysActive = Math.ceil(pools.length * 0.8);
  const inactiveFrom = (number: number): number => (number < alwaysActive ? blockCount : (blockCount * (20 + (number % 60))) / 100);
  return (block: number, count: number): number => {
    const target = random() * sum;
    let [low, high] = [0, pools.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) <= target) low = middle + 1;
      else high = middle;
    }
    const chosen = low % count;
    return block < inactiveFrom(chosen) ? chosen : chosen % alwaysActive;
  };
};

const toTransaction = (number: number, index: number, from: Address, to: Address): ChainTransaction => ({
  index,
  hash: hexOf(kinds.transaction, number, 8),
  from,
  to,
  value: 0n,
  nonce: BigInt(number),
  gasLimit: 250_000n,
  input: "0x38ed1739",
  type: 2,
  successful: true,
  gasUsed: 130_000n,
  effectiveGasPrice: 2n * 10n ** 9n,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs: [],
  traces: [],
});
