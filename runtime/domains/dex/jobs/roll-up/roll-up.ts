import { add, compare, type Decimal, decimalOf, multiply } from "../../../../lib/decimal.ts";
import type { Address } from "../../../../lib/hex.ts";
import type { PoolQueries } from "../../../pools/queries/index.ts";
import type { PriceQueries } from "../../../prices/queries/price.ts";
import type { TokenQueries } from "../../../tokens/queries/index.ts";
import type { RankedToken } from "../../queries/roll-up.ts";
import { zeroValue } from "../../queries/valuation.ts";

/** What a roll-up is made from. */
export interface RollUpDeps {
  readonly chainId: number;
  readonly pools: PoolQueries;
  readonly prices: Pick<PriceQueries, "ratesAt" | "ratesAtEach">;
  readonly tokens: Pick<TokenQueries, "heightsBefore">;
}

/** An active pool with what it is worth; null where that is not known. */
export interface PoolValue {
  readonly pool: Address;
  readonly liquidity: Decimal | null;
  readonly volume: Decimal | null;
  readonly weekVolume: Decimal | null;
}

/** A token with what one smallest unit of it is worth. */
export interface TokenValue extends RankedToken {
  readonly rate: Decimal;
}

/** What an exchange was at the end of an hour. */
export interface RollUp {
  readonly hour: number;
  /** Active pools and priced tokens in their order. */
  readonly pools: readonly PoolValue[];
  readonly tokens: readonly TokenValue[];
  readonly weekPools: number;
  /** All tokens; null above what is counted. */
  readonly tokenCount: number | null;
  readonly liquidity: Decimal | null;
  readonly volume: Decimal | null;
  readonly swaps: number;
  readonly dayVolume: Decimal | null;
  readonly daySwaps: number;
}

const byAddress = (left: Address, right: Address): number => (left < right ? -1 : left > right ? 1 : 0);

/** The most first, what is not known last. */
const byWorth = (left: Decimal | null, right: Decimal | null): number =>
  left === null || right === null ? Number(left === null) - Number(right === null) : compare(right, left);

/** Pools from the most liquidity to the least; unknown ones last, equal ones by address. */
export const rankPools = (pools: readonly PoolValue[]): PoolValue[] =>
  [...pools].sort((left, right) => byWorth(left.liquidity, right.liquidity) || byAddress(left.pool, right.pool));

/** Tokens from the most worth in pools to the least; equal ones by address. */
export function rankTokens(tokens: readonly TokenValue[]): TokenValue[] {
  const worths = new Map(tokens.map((token) => [token, multiply(decimalOf(token.reserve), token.rate)]));
  return [...tokens].sort(
    (left, right) => byWorth(worths.get(left) ?? null, worths.get(right) ?? null) || byAddress(left.token, right.token),
  );
}

/** A sum of what is known; null where none of several is. */
export function createKnownSum() {
  let sum: Decimal | null = null;
  return {
    add: (worth: Decimal | null): void => {
      if (worth !== null) sum = sum === null ? worth : add(sum, worth);
    },
    /** `isNothing`: there was nothing to add, which is worth nothing. */
    total: (isNothing: boolean): Decimal | null => (isNothing ? zeroValue : sum),
  };
}
