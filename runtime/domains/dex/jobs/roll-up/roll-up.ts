import { add, compare, type Decimal, multiply, parseDecimal } from "../../../../lib/decimal.ts";
import type { Address } from "../../../../lib/hex.ts";
import type { PoolQueries } from "../../../pools/queries/index.ts";
import type { PriceQueries } from "../../../prices/queries/price.ts";
import type { TokenQueries } from "../../../tokens/queries/index.ts";
import type { RankedToken } from "../../queries/roll-up.ts";
import { zeroValue } from "../../queries/valuation.ts";

/** The queries that a roll-up is computed from. */
export interface RollUpDeps {
  readonly chainId: number;
  readonly pools: PoolQueries;
  readonly prices: Pick<PriceQueries, "ratesAt" | "ratesAtEachTime">;
  readonly tokens: Pick<TokenQueries, "heightsBefore">;
}

/** An active pool with its values; null if unknown. */
export interface PoolValue {
  readonly pool: Address;
  readonly liquidity: Decimal | null;
  readonly volume: Decimal | null;
  readonly weekVolume: Decimal | null;
}

/** A token with its rate. */
export interface TokenValue extends RankedToken {
  readonly rate: Decimal;
}

/** An exchange at the end of an hour. */
export interface RollUp {
  readonly hour: number;
  /** Active pools and priced tokens, ranked. */
  readonly pools: readonly PoolValue[];
  readonly tokens: readonly TokenValue[];
  readonly weekPoolCount: number;
  /** The total number of tokens; null above the counted maximum. */
  readonly tokenCount: number | null;
  readonly liquidity: Decimal | null;
  readonly volume: Decimal | null;
  readonly swapCount: number;
  readonly dayVolume: Decimal | null;
  readonly daySwapCount: number;
}

const byAddress = (left: Address, right: Address): number => (left < right ? -1 : left > right ? 1 : 0);

/** Descending, unknown values last. */
const byValue = (left: Decimal | null, right: Decimal | null): number =>
  left === null || right === null ? Number(left === null) - Number(right === null) : compare(right, left);

/** Pools by liquidity, descending; unknown values last, ties by address. */
export const rankPools = (pools: readonly PoolValue[]): PoolValue[] =>
  [...pools].sort((left, right) => byValue(left.liquidity, right.liquidity) || byAddress(left.pool, right.pool));

/** Tokens by the value of their reserves, descending; ties by address. */
export function rankTokens(tokens: readonly TokenValue[]): TokenValue[] {
  const values = new Map(tokens.map((token) => [token, multiply(parseDecimal(token.reserve), token.rate)]));
  return [...tokens].sort(
    (left, right) => byValue(values.get(left) ?? null, values.get(right) ?? null) || byAddress(left.token, right.token),
  );
}

/** The sum of known values; null if none is known. */
export function createKnownSum() {
  let sum: Decimal | null = null;
  return {
    add: (value: Decimal | null): void => {
      if (value !== null) sum = sum === null ? value : add(sum, value);
    },
    /** The sum; 0 if there was nothing to sum (`isEmpty`). */
    total: (isEmpty: boolean): Decimal | null => (isEmpty ? zeroValue : sum),
  };
}
