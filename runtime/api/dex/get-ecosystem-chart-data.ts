import type { Chain } from "../../../generated/requests.gen.ts";
import type { LiquidityEcosystemChart, VolumeEcosystemChart } from "../../../generated/responses.gen.ts";
import { feesOf } from "../../domains/dex/queries/valuation.ts";
import { parseDecimal } from "../../lib/decimal.ts";
import { nativeTokenAddress } from "../../lib/hex.ts";
import { memoizeText } from "../../lib/memoize-text.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "../prices/view-quotes.ts";
import { totalsOf } from "./exchange-totals.ts";
import { requireExchange } from "./exchanges.ts";
import { anchorTime, pointsOfWeek } from "./snapshots.ts";

/** An exchange's totals with its daily series, as of the last closed hour. @throws {RequestError} 404 if the exchange is unknown. */
export const getEcosystemChartData: Handlers["getEcosystemChartData"] = async ({ chain, dexName }, context) => {
  const exchange = requireExchange(context, chain, dexName);
  const common = { ...chainFields(chain, context.contentTime()), pagination: null };
  const [totals, native] = await Promise.all([totalsOf(context, chain, exchange.factory), nativeRate(context, chain)]);
  if (totals === null) return { ...common, items: [] };
  const volumes: VolumeEcosystemChart[] = [];
  const liquidity: LiquidityEcosystemChart[] = [];
  const chainId = String(chain.id);
  for (const day of totals.days) {
    // Assigned field by field, which is faster than spreading.
    const dt = isoTimestamp(day.start);
    const volume = day.volume === null ? unknownDollars : viewDollars(day.volume);
    const held = day.liquidity === null ? unknownDollars : viewDollars(day.liquidity);
    volumes.push({
      dex_name: exchange.name,
      chain_id: chainId,
      dt,
      quote_currency: "USD",
      volume_quote: volume.quote,
      pretty_volume_quote: volume.pretty,
      swap_count_24: day.swapCount,
    });
    liquidity.push({
      dex_name: exchange.name,
      chain_id: chainId,
      dt,
      quote_currency: "USD",
      liquidity_quote: held.quote,
      pretty_liquidity_quote: held.pretty,
    });
  }
  const fees = feesOf(totals.volume === null ? null : parseDecimal(totals.volume), exchange.feePpm);
  const item = {
    dex_name: exchange.name,
    chain_id: chainId,
    quote_currency: "USD",
    gas_token_price_quote: viewNumber(native),
    total_swaps_24h: totals.swapCount,
    total_active_pairs_7d: totals.activePoolCount,
    total_fees_24h: viewNumber(fees),
    pretty_gas_token_price_quote: formatQuote(native, "USD"),
    pretty_total_fees_24h: formatQuote(fees, "USD"),
    volume_chart_7d: volumes.slice(-pointsOfWeek),
    volume_chart_30d: volumes,
    liquidity_chart_7d: liquidity.slice(-pointsOfWeek),
    liquidity_chart_30d: liquidity,
  };
  return { ...common, items: [item] };
};

interface Dollars {
  readonly quote: number | null;
  readonly pretty: string | null;
}

const unknownDollars: Dollars = { quote: null, pretty: null };
/** A value in US dollars, from its decimal digits; memoized because past days' values do not change. */
const viewDollars = memoizeText((digits): Dollars => {
  const value = parseDecimal(digits);
  return { quote: viewNumber(value), pretty: formatQuote(value, "USD") };
}, 10_000);

/** The current value of one whole native token. */
const nativeRate = async (context: ResolverContext, chain: Chain) => {
  const time = await anchorTime(context, chain);
  if (time === null) return null;
  const [rate = null] = await context.prices.ratesAtTimes(chain.id, "USD", [{ asset: nativeTokenAddress, time }]);
  return ratePerWholeToken(rate, context.chains.get(chain.id).nativeToken.decimals);
};
