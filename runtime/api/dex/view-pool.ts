import type { Chain } from "../../../generated/requests.gen.ts";
import type { Token } from "../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../config/exchanges.ts";
import { annualizedFee, feesOf, growthBetween } from "../../domains/dex/queries/valuation.ts";
import type { ResolverContext } from "../context.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "../prices/view-quotes.ts";
import type { PoolStats, PoolStatsWithMetadata } from "./pool-stats.ts";
import { viewPoolContract } from "./view-pool-contract.ts";

/** The value fields that every pool item has; the exchange's fee applies to all of its pools. */
export function viewPoolValues(
  { feePpm }: Pick<ExchangeConfig, "feePpm">,
  { pool, liquidity, volume, weekVolume, poolRate }: PoolStats,
  { metadata, currency }: Pick<PoolStatsWithMetadata, "metadata" | "currency">,
) {
  const fees = feesOf(volume, feePpm);
  return {
    total_liquidity_quote: viewNumber(liquidity),
    pretty_total_liquidity_quote: formatQuote(liquidity, currency),
    volume_24h_quote: viewNumber(volume),
    pretty_volume_24h_quote: formatQuote(volume, currency),
    volume_7d_quote: viewNumber(weekVolume),
    pretty_volume_7d_quote: formatQuote(weekVolume, currency),
    fee_24h_quote: viewNumber(fees),
    pretty_fee_24h_quote: formatQuote(fees, currency),
    annualized_fee: viewNumber(annualizedFee(fees, liquidity)),
    quote_rate: viewNumber(ratePerWholeToken(poolRate, metadata.get(pool.pool)?.decimals ?? null)),
  };
}

/** A pool token with its volumes. */
function viewToken(
  context: ResolverContext,
  chain: Chain,
  { pool, now, dayBefore, weekBefore, rates }: PoolStats,
  side: 0 | 1,
  { metadata }: PoolStatsWithMetadata,
): Token {
  const token = side === 0 ? pool.token0 : pool.token1;
  const [into, out] = side === 0 ? (["amount0_in", "amount0_out"] as const) : (["amount1_in", "amount1_out"] as const);
  const contract = viewPoolContract(context.chains.get(chain.id), token, metadata.get(token));
  return {
    ...contract,
    quote_rate: viewNumber(ratePerWholeToken(rates[side], contract.contract_decimals)),
    reserve: side === 0 ? now.reserve0 : now.reserve1,
    volume_in_24h: growthBetween(dayBefore[into], now[into]),
    volume_out_24h: growthBetween(dayBefore[out], now[out]),
    volume_in_7d: growthBetween(weekBefore[into], now[into]),
    volume_out_7d: growthBetween(weekBefore[out], now[out]),
  };
}

/** The fields that every pool item with tokens has. */
export const viewPool = (
  context: ResolverContext,
  chain: Chain,
  exchange: ExchangeConfig,
  stats: PoolStats,
  all: PoolStatsWithMetadata,
) => ({
  exchange: stats.pool.pool,
  swap_count_24h: stats.now.swaps - stats.dayBefore.swaps,
  total_supply: stats.now.supply,
  chain_id: String(chain.id),
  dex_name: exchange.name,
  ...viewPoolValues(exchange, stats, all),
  token_0: viewToken(context, chain, stats, 0, all),
  token_1: viewToken(context, chain, stats, 1, all),
});
