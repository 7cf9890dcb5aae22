import type { MarketPool } from "./market.ts";

/** The amounts in and out of a swap. */
export interface Trade {
  readonly side: 0 | 1;
  readonly amountIn: bigint;
  readonly amountOut: bigint;
}

/** Added or removed liquidity of a constant-product pool: its amounts and its shares. */
export interface LiquidityChange {
  readonly amounts: readonly [bigint, bigint];
  readonly shares: bigint;
}

/** The state of a generated pool, computed by the rules of its contract. */
export interface SimulatedPool {
  readonly reserves: [bigint, bigint];
  supply: bigint;
  /** The first provider's shares. */
  providerShares: bigint;
  /** The side of the next input, usually the one that moves the price back to its start. */
  sideOf(chance: number): 0 | 1;
  /** Swaps some millionths of a side's reserve; null if the output would be 0. */
  trade(side: 0 | 1, millionths: number): Trade | null;
  /** Deposits some thousandths of the reserves. */
  add(thousandths: number): LiquidityChange;
  /** Withdraws some thousandths of the first provider's shares. */
  remove(thousandths: number): LiquidityChange;
}

/** Locked shares (Uniswap V2's MINIMUM_LIQUIDITY). */
export const lockedShares = 1_000n;

export const createSimulatedPool = ({ reserves: start, tokens }: MarketPool): SimulatedPool => {
  const reserves: [bigint, bigint] = [...start];
  const supply = squareRoot(start[0] * start[1]);
  const priceRatio = (tokens[1].dollars / tokens[0].dollars) * 10 ** (tokens[0].decimals - tokens[1].decimals);
  const simulatedPool: SimulatedPool = {
    reserves,
    supply,
    providerShares: supply - lockedShares,
    sideOf: (chance) => (chance < (Number(reserves[0]) > Number(reserves[1]) * priceRatio ? 0.4 : 0.6) ? 0 : 1),
    trade: (side, millionths) => {
      const other = side === 0 ? 1 : 0;
      const amount = (reserves[side] * BigInt(millionths)) / 1_000_000n;
      // The fee of three thousandths stays in the pool.
      const amountAfterFee = amount * 997n;
      const out = (amountAfterFee * reserves[other]) / (reserves[side] * 1_000n + amountAfterFee);
      if (out === 0n) return null;
      reserves[side] += amount;
      reserves[other] -= out;
      return { side, amountIn: amount, amountOut: out };
    },
    add: (thousandths) => {
      const part = (whole: bigint): bigint => (whole * BigInt(thousandths)) / 1_000n;
      const amounts = [part(reserves[0]), part(reserves[1])] as const;
      const shares = part(simulatedPool.supply);
      reserves[0] += amounts[0];
      reserves[1] += amounts[1];
      simulatedPool.supply += shares;
      return { amounts, shares };
    },
    remove: (thousandths) => {
      const shares = (simulatedPool.providerShares * BigInt(thousandths)) / 1_000n;
      const amounts = [(reserves[0] * shares) / simulatedPool.supply, (reserves[1] * shares) / simulatedPool.supply] as const;
      reserves[0] -= amounts[0];
      reserves[1] -= amounts[1];
      simulatedPool.supply -= shares;
      simulatedPool.providerShares -= shares;
      return { amounts, shares };
    },
  };
  return simulatedPool;
};

/** The square root, rounded down (Newton's method). */
const squareRoot = (value: bigint): bigint => {
  if (value < 2n) return value;
  let guess = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (guess + value / guess) / 2n;
    if (next >= guess) return guess;
    guess = next;
  }
};
