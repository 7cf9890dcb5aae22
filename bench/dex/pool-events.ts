import type { DecodedEvent, PoolEventFields } from "../../runtime/events/decoded-block.ts";
import { type Address, zeroAddress } from "../../runtime/lib/hex.ts";
import type { MarketPool } from "./market.ts";
import { type LiquidityChange, lockedShares, type SimulatedPool, type Trade } from "./simulated-pool.ts";

/** The events of a block so far, and the log index of the next one. */
export interface LogWriter {
  readonly events: DecodedEvent[];
  /** The transaction that the next logs belong to. */
  transactionIndex: number;
  logIndex: number;
}

/** The full range of a pool with a tick spacing of 60. */
const maxTick = 887_220;

const write = (log: LogWriter, address: Address, fields: PoolEventFields): void => {
  log.events.push({ address, transactionIndex: log.transactionIndex, logIndex: log.logIndex, ...fields });
  log.logIndex += 1;
};

export const writeTransfer = (log: LogWriter, token: Address, from: Address, to: Address, amount: bigint): void => {
  log.events.push({
    kind: "erc20Transfer",
    address: token,
    transactionIndex: log.transactionIndex,
    logIndex: log.logIndex,
    from,
    to,
    amount,
  });
  log.logIndex += 1;
};

/** Reserves log indexes for transfers of the pool's two tokens, whose balances are not tracked. */
const skipTransfers = (log: LogWriter, count: number): void => {
  log.logIndex += count;
};

/** Writes a pool's creation by its factory, and its first provider's deposit of both tokens. */
export function writeCreation(log: LogWriter, pool: MarketPool, simulatedPool: SimulatedPool): void {
  const { address, exchange, tokens, provider } = pool;
  const isConcentrated = exchange.family === "concentrated";
  write(log, exchange.factory, {
    kind: "poolCreated",
    family: exchange.family,
    pool: address,
    token0: tokens[0].address,
    token1: tokens[1].address,
    feePpm: isConcentrated ? 3_000 : null,
  });
  if (!isConcentrated) {
    writeTransfer(log, address, zeroAddress, zeroAddress, lockedShares);
    writeDeposit(log, pool, simulatedPool, { amounts: pool.reserves, shares: simulatedPool.supply - lockedShares }, provider);
    return;
  }
  const { sqrtPriceX96, tick } = priceOf(simulatedPool);
  write(log, address, { kind: "poolPrice", sqrtPriceX96, tick });
  skipTransfers(log, 2);
  write(log, address, {
    kind: "poolDeposit",
    sender: exchange.router,
    to: provider,
    amount0: pool.reserves[0],
    amount1: pool.reserves[1],
    position: { tickLower: -maxTick, tickUpper: maxTick, liquidity: simulatedPool.supply },
  });
}

/** Writes a swap and the resulting state in the events of the pool's family. */
export function writeSwap(
  log: LogWriter,
  { address, exchange }: MarketPool,
  simulatedPool: SimulatedPool,
  trade: Trade,
  to: Address,
): void {
  const isConcentrated = exchange.family === "concentrated";
  skipTransfers(log, 2);
  if (!isConcentrated) writeReserves(log, address, simulatedPool);
  write(log, address, {
    kind: "poolSwap",
    sender: exchange.router,
    to,
    amount0In: trade.side === 0 ? trade.amountIn : 0n,
    amount1In: trade.side === 1 ? trade.amountIn : 0n,
    amount0Out: trade.side === 1 ? trade.amountOut : 0n,
    amount1Out: trade.side === 0 ? trade.amountOut : 0n,
    price: isConcentrated ? { ...priceOf(simulatedPool), liquidity: simulatedPool.supply } : null,
  });
}

/** Writes a deposit of both tokens, for which a provider receives shares. */
export function writeDeposit(
  log: LogWriter,
  { address, exchange }: MarketPool,
  simulatedPool: SimulatedPool,
  { amounts, shares }: LiquidityChange,
  to: Address,
): void {
  skipTransfers(log, 2);
  writeTransfer(log, address, zeroAddress, to, shares);
  writeReserves(log, address, simulatedPool);
  write(log, address, {
    kind: "poolDeposit",
    sender: exchange.router,
    to: null,
    amount0: amounts[0],
    amount1: amounts[1],
    position: null,
  });
}

/** Writes a withdrawal in Uniswap V2's two steps: the provider transfers shares to the pool, which burns them. */
export function writeWithdrawal(
  log: LogWriter,
  { address, exchange, provider }: MarketPool,
  simulatedPool: SimulatedPool,
  { amounts, shares }: LiquidityChange,
): void {
  writeTransfer(log, address, provider, address, shares);
  writeTransfer(log, address, address, zeroAddress, shares);
  skipTransfers(log, 2);
  writeReserves(log, address, simulatedPool);
  write(log, address, {
    kind: "poolWithdrawal",
    sender: exchange.router,
    to: provider,
    amount0: amounts[0],
    amount1: amounts[1],
    position: null,
  });
}

const writeReserves = (log: LogWriter, pool: Address, { reserves }: SimulatedPool): void =>
  write(log, pool, { kind: "poolReserves", reserve0: reserves[0], reserve1: reserves[1] });

/** The price of a full-range pool: the ratio of its reserves, with a number's precision (53 bits). */
const priceOf = ({ reserves }: SimulatedPool) => {
  const price = Number(reserves[1]) / Number(reserves[0]);
  return {
    sqrtPriceX96: BigInt(Math.floor(Math.sqrt(price) * 2 ** 96)),
    tick: Math.floor(Math.log(price) / Math.log(1.0001)),
  };
};
