import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";

/** A pool with the exchange whose sums include it. */
export interface PoolExchange {
  readonly pool: Address;
  readonly factory: Address;
  readonly tokens: readonly [Address, Address];
}

/** Amounts into a pool and out of it, by side. */
export interface Amounts {
  readonly in: readonly [bigint, bigint];
  readonly out: readonly [bigint, bigint];
}

/** The reserves of a pool; null while they are unknown. */
export type Reserves = readonly [bigint, bigint] | null;

interface ExchangeSum {
  readonly factory: Address;
  swaps: number;
  actions: number;
}

interface TokenSum {
  readonly factory: Address;
  readonly token: Address;
  reserve: bigint;
  swaps: number;
  actions: number;
  swapTransactions: number;
  amountIn: bigint;
  amountOut: bigint;
  /** The last transaction of the block that swapped the token. */
  lastTransaction: number | null;
  /** Whether the token has a row in exchange_tokens. */
  isListed: boolean;
}

/** Cumulative sums of exchanges and their tokens: one row per block that changed them. */
export const createExchangeSums = (state: State) => {
  const exchanges = new Map<Address, ExchangeSum>();
  const tokens = new Map<string, TokenSum>();
  const touched = { exchanges: new Set<ExchangeSum>(), tokens: new Set<TokenSum>() };
  const rows: { readonly exchanges: Row[]; readonly tokens: Row[]; readonly listed: Row[] } = { exchanges: [], tokens: [], listed: [] };

  const exchangeOf = ({ pool, factory }: PoolExchange): ExchangeSum => {
    const existing = exchanges.get(factory);
    if (existing !== undefined) return existing;
    const stored = state.get("exchanges", factory) ?? state.get("exchangesOfPools", pool);
    const sum = { factory, swaps: Number(stored?.swaps ?? 0), actions: Number(stored?.actions ?? 0) };
    exchanges.set(factory, sum);
    return sum;
  };

  const tokenOf = (exchange: PoolExchange, side: 0 | 1): TokenSum => {
    const token = exchange.tokens[side];
    const key = `${exchange.factory}${token}`;
    const existing = tokens.get(key);
    if (existing !== undefined) return existing;
    const sum = loadTokenSum(state, exchange, side, token);
    tokens.set(key, sum);
    return sum;
  };

  const countAction = (pool: PoolExchange): readonly TokenSum[] => {
    const exchange = exchangeOf(pool);
    exchange.actions += 1;
    touched.exchanges.add(exchange);
    return ([0, 1] as const).map((side) => {
      const sum = tokenOf(pool, side);
      sum.actions += 1;
      touched.tokens.add(sum);
      return sum;
    });
  };

  return {
    rows,
    /** Applies a change in a pool's reserves. */
    changeReserves: (pool: PoolExchange, before: Reserves, after: Reserves): void => {
      for (const side of [0, 1] as const) {
        const change = (after?.[side] ?? 0n) - (before?.[side] ?? 0n);
        if (change === 0n) continue;
        const sum = tokenOf(pool, side);
        sum.reserve += change;
        touched.tokens.add(sum);
      }
    },
    /** Counts an action other than a swap. */
    countAction: (pool: PoolExchange): void => void countAction(pool),
    swap: (pool: PoolExchange, amounts: Amounts, transactionIndex: number): void => {
      for (const [side, sum] of countAction(pool).entries()) {
        sum.swaps += 1;
        sum.amountIn += amounts.in[side] ?? 0n;
        sum.amountOut += amounts.out[side] ?? 0n;
        // Events are in transaction order.
        if (sum.lastTransaction !== transactionIndex) sum.swapTransactions += 1;
        sum.lastTransaction = transactionIndex;
      }
      exchangeOf(pool).swaps += 1;
    },
    endBlock: (blockNumber: number): void => {
      for (const { factory, swaps, actions } of touched.exchanges) {
        rows.exchanges.push({ factory, block_number: blockNumber, swaps, actions });
      }
      for (const sum of touched.tokens) {
        const { factory, token } = sum;
        if (!sum.isListed) rows.listed.push({ factory, token, block_number: blockNumber });
        sum.isListed = true;
        rows.tokens.push(tokenRow(sum, blockNumber));
        sum.lastTransaction = null;
      }
      touched.exchanges.clear();
      touched.tokens.clear();
    },
  };
};

const loadTokenSum = (state: State, { pool, factory }: PoolExchange, side: 0 | 1, token: Address): TokenSum => {
  const stored = state.get("exchangeTokens", factory, token) ?? state.get("exchangeTokensOfPools", pool, side);
  return {
    factory,
    token,
    reserve: BigInt(String(stored?.reserve ?? 0)),
    swaps: Number(stored?.swaps ?? 0),
    actions: Number(stored?.actions ?? 0),
    swapTransactions: Number(stored?.swap_transactions ?? 0),
    amountIn: BigInt(String(stored?.amount_in ?? 0)),
    amountOut: BigInt(String(stored?.amount_out ?? 0)),
    lastTransaction: null,
    isListed: stored !== undefined,
  };
};

const tokenRow = (sum: TokenSum, blockNumber: number): Row => ({
  factory: sum.factory,
  token: sum.token,
  block_number: blockNumber,
  reserve: sum.reserve,
  swaps: sum.swaps,
  actions: sum.actions,
  swap_transactions: sum.swapTransactions,
  amount_in: sum.amountIn,
  amount_out: sum.amountOut,
});
