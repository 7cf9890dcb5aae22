import type { Chain } from "../../../generated/requests.gen.ts";
import type { Token } from "../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../config/exchanges.ts";
import { annualizedFee, feesOf, growthBetween } from "../../domains/dex/queries/valuation.ts";
import type { ResolverContext } from "../context.ts";
import { pretty, viewNumber, wholeRate } from "../prices/view-quotes.ts";
import type { FiguresOfPools, PoolFigures } from "./pool-figures.ts";
import { viewPoolContract } from "./view-pool-contract.ts";

/** The value fields that every pool item has; the exchange's fee applies to all of its pools. */
export function viewPoolValues(
  { feePpm }: Pick<ExchangeConfig, "feePpm">,
  { pool, liquidity, volume, weekVolume, poolRate }: PoolFigures,
  { metadata, currency }: Pick<FiguresOfPools, "metadata" | "currency">,
) {
  const fees = feesOf(volume, feePpm);
  return {
    total_liquidity_quote: viewNumber(liquidity),
    pretty_total_liquidity_quote: pretty(liquidity, currency),
    volume_24h_quote: viewNumber(volume),
    pretty_volume_24h_quote: pretty(volume, currency),
    volume_7d_quote: viewNumber(weekVolume),
    pretty_volume_7d_quote: pretty(weekVolume, currency),
    fee_24h_quote: viewNumber(fees),
    pretty_fee_24h_quote: pretty(fees, currency),
    annualized_fee: viewNumber(annualizedFee(fees, liquidity)),
    quote_rate: viewNumber(wholeRate(poolRate, metadata.get(pool.pool)?.decimals ?? null)),
  };
}

/** A pool token with its volumes. */
function viewToken(
  context: ResolverContext,
  chain: Chain,
  { pool, now, dayBefore, weekBefore, rates }: PoolFigures,
  side: 0 | 1,
  { metadata }: FiguresOfPools,
): Token {
  const token = side === 0 ? pool.token0 : pool.token1;
  const [into, out] = side === 0 ? (["amount0_in", "amount0_out"] as const) : (["amount1_in", "amount1_out"] as const);
  const contract = viewPoolContract(context.chains.get(chain.id), token, metadata.get(token));
  return {
    ...contract,
    quote_rate: viewNumber(wholeRate(rates[side], contract.contract_decimals)),
    reserve: side === 0 ? now.reserve0 : now.reserve1,
    volume_in_24h: growthBetween(dayBefore[into], now[into]),
    volume_out_24h: growthBetween(dayBefore[out], now[out]),
    volume_in_7d: growthBetween(weekBefore[into], now[into]),
    volume_out_7d: growthBetween(weekBefore[out], now[out]),
  };
}

/** The fields that every pool item with tokens has. */
export const viewPool = (context: ResolverContext, chain: Chain, exchange: ExchangeConfig, figure: PoolFigures, all: FiguresOfPools) => ({
  exchange: figure.pool.pool,
  swap_count_24h: figure.now.swaps - figure.dayBefore.swaps,
  total_supply: figure.now.supply,
  chain_id: String(chain.id),
  dex_name: exchange.name,
  ...viewPoolValues(exchange, figure, all),
  token_0: viewToken(context, chain, figure, 0, all),
  token_1: viewToken(context, chain, figure, 1, all),
});
