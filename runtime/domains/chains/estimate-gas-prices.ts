import { pluralize } from "../../lib/pluralize.ts";
import type { GasSample } from "./queries/gas.ts";

/** The gas price for one speed. */
export interface GasPriceEstimate {
  readonly gasPrice: bigint;
  /** The median gas used by the sampled transactions. */
  readonly gasSpent: number;
  /** The median L1 fee of the sampled transactions; null if the chain has none. */
  readonly l1Fee: bigint | null;
  /** The expected time to inclusion, as text; null if the block time is unknown. */
  readonly interval: string | null;
}

/** Each speed's tip percentile, and the number of blocks within which inclusion is expected. Fastest first. */
const speeds = [
  { percentile: 0.9, blocks: 1 },
  { percentile: 0.5, blocks: 3 },
  { percentile: 0.1, blocks: 10 },
] as const;

/**
 * Estimates gas prices from transactions of one kind: the newest base fee plus a percentile of what they paid above their own block's base fee (EIP-1559), or a
 * percentile of their prices on a chain without a base fee. Returns an empty list if there are no samples.
 */
export function estimateGasPrices(
  samples: readonly GasSample[],
  baseFee: string | null,
  secondsPerBlock: number | null,
): GasPriceEstimate[] {
  if (samples.length === 0) return [];
  const floor = BigInt(baseFee ?? 0);
  const tips = samples
    .map(({ gas_price: price, base_fee: base }) => BigInt(price) - (baseFee === null ? 0n : BigInt(base ?? 0)))
    .sort(compare);
  const gasSpent = percentileOf(samples.map(({ gas_used: used }) => used).sort(compare), 0.5);
  const fees = samples.flatMap(({ l1_fee: fee }) => (fee === null ? [] : [BigInt(fee)])).sort(compare);
  const l1Fee = fees.length === 0 ? null : percentileOf(fees, 0.5);
  return speeds.map(({ percentile, blocks }) => ({
    gasPrice: floor + percentileOf(tips, percentile),
    gasSpent,
    l1Fee,
    interval: secondsPerBlock === null ? null : renderDuration(Math.max(1, Math.round(blocks * secondsPerBlock))),
  }));
}

const compare = (left: bigint | number, right: bigint | number): number => (left < right ? -1 : left > right ? 1 : 0);

/** The nearest-rank percentile of ascending values: the smallest value that at least this share of them does not exceed. */
function percentileOf<T>(values: readonly T[], share: number): T {
  const value = values[Math.max(0, Math.ceil(share * values.length) - 1)];
  if (value === undefined) throw new RangeError("Cannot compute a percentile of an empty list: expected at least one value.");
  return value;
}

const units = [
  { seconds: 3600, name: "hour" },
  { seconds: 60, name: "minute" },
  { seconds: 1, name: "second" },
] as const;

/** Renders a duration in the largest unit that it contains at least twice, otherwise in seconds. */
export function renderDuration(seconds: number): string {
  const unit = units.find((candidate) => seconds >= 2 * candidate.seconds) ?? units[2];
  return pluralize(Math.round(seconds / unit.seconds), unit.name);
}
