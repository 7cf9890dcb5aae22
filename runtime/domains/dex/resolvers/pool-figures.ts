import type { Chain } from "../../../../generated/requests.gen.ts";
import type { Token } from "../../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../../config/config.ts";
import type { Address } from "../../../lib/hex.ts";
import type { ResolverContext } from "../../context.ts";
import type { PoolRow } from "../../pools/pool-queries.ts";
import type { PoolState } from "../../pools/state-queries.ts";
import type { TokenMetadata } from "../../tokens/metadata-queries.ts";
import { standards } from "../../tokens/standards.ts";
import { viewContract } from "../../views/token.ts";
import type { Moment } from "./moments.ts";

/** A pool at a moment, a day and a week before. */
export interface PoolFigures {
  readonly pool: PoolRow;
  readonly now: PoolState;
  readonly dayBefore: PoolState;
  readonly weekBefore: PoolState;
}

/** What was added to a sum between two of its values, as digits. */
export const grown = (before: string, after: string): string => String(BigInt(after) - BigInt(before));

/** The figures of pools at a moment, and what their tokens and their own are. */
export async function figuresOf(
  context: ResolverContext,
  chain: Chain,
  pools: readonly PoolRow[],
  { at, dayBefore, weekBefore }: Moment,
): Promise<{ figures: PoolFigures[]; metadata: ReadonlyMap<Address, TokenMetadata> }> {
  const [states, metadata] = await Promise.all([
    context.pools.statesAt(
      chain.id,
      pools.map(({ pool }) => pool),
      [at, dayBefore, weekBefore],
    ),
    context.tokens.metadata(
      chain.id,
      pools.flatMap(({ pool, token0, token1 }) => [pool, token0, token1]),
    ),
  ]);
  const figures = pools.map((pool): PoolFigures => {
    const [now, day, week] = states(pool.pool) as readonly [PoolState, PoolState, PoolState];
    return { pool, now, dayBefore: day, weekBefore: week };
  });
  return { figures, metadata };
}

/** A token of a pool with what moved of it. What is worth what stays null until prices are indexed. */
function viewToken(
  context: ResolverContext,
  chain: Chain,
  { pool, now, dayBefore, weekBefore }: PoolFigures,
  side: 0 | 1,
  metadata: ReadonlyMap<Address, TokenMetadata>,
): Token {
  const token = side === 0 ? pool.token0 : pool.token1;
  const [into, out] = side === 0 ? (["amount0_in", "amount0_out"] as const) : (["amount1_in", "amount1_out"] as const);
  const { supports_erc: _, ...contract } = viewContract(context.chains.get(chain.id), token, standards.erc20, metadata.get(token));
  return {
    ...contract,
    quote_rate: null,
    reserve: side === 0 ? now.reserve0 : now.reserve1,
    volume_in_24h: grown(dayBefore[into], now[into]),
    volume_out_24h: grown(dayBefore[out], now[out]),
    volume_in_7d: grown(weekBefore[into], now[into]),
    volume_out_7d: grown(weekBefore[out], now[out]),
  };
}

/** A pool's figures as the fields that every item about one has. What is worth what stays null until prices are indexed. */
export const viewPool = (
  context: ResolverContext,
  chain: Chain,
  { name }: ExchangeConfig,
  figures: PoolFigures,
  metadata: ReadonlyMap<Address, TokenMetadata>,
) => ({
  exchange: figures.pool.pool,
  swap_count_24h: figures.now.swaps - figures.dayBefore.swaps,
  total_liquidity_quote: null,
  volume_24h_quote: null,
  fee_24h_quote: null,
  total_supply: figures.now.supply,
  quote_rate: null,
  pretty_total_liquidity_quote: null,
  pretty_volume_24h_quote: null,
  pretty_fee_24h_quote: null,
  pretty_volume_7d_quote: null,
  chain_id: String(chain.id),
  dex_name: name,
  volume_7d_quote: null,
  annualized_fee: null,
  token_0: viewToken(context, chain, figures, 0, metadata),
  token_1: viewToken(context, chain, figures, 1, metadata),
});
