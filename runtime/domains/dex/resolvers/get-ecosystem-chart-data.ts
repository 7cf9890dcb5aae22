import type { LiquidityEcosystemChart, VolumeEcosystemChart } from "../../../../generated/responses.gen.ts";
import { isoTimestamp, secondsOfDay } from "../../../lib/time.ts";
import type { Handlers } from "../../context.ts";
import { chainHead } from "../../views/chain.ts";
import { exchangeNamed } from "./exchanges.ts";
import { daysUpTo, momentOfAnchor, pointsOfWeek } from "./moments.ts";

const daysOfWeek = 7;

/** An exchange as a whole with its daily series. What is worth what stays null until prices are indexed. @throws {RequestError} 404, an unknown exchange. */
export const getEcosystemChartData: Handlers["getEcosystemChartData"] = async ({ chain, dexName }, context) => {
  const exchange = exchangeNamed(context, chain, dexName);
  const head = { ...chainHead(chain, context.now()), pagination: null };
  const moment = await momentOfAnchor(context, chain);
  if (moment === null || moment.at === null) return { ...head, items: [] };
  const key = await context.pools.exchangeKey(chain.id, exchange.factory, moment.at);
  const days = await daysUpTo(context, chain, moment);
  const [[now = 0, dayBefore = 0, ...ends], active] = await Promise.all([
    context.pools.exchangeSwapsAt(chain.id, key, [moment.at, moment.dayBefore, ...days.heights]),
    context.pools.activePools(
      chain.id,
      key,
      { block: moment.weekBefore, day: Math.floor(moment.end / secondsOfDay) - daysOfWeek },
      { block: moment.at, day: Math.floor(moment.end / secondsOfDay) },
      0,
      0,
    ),
  ]);
  const common = (start: number) => ({
    dex_name: exchange.name,
    chain_id: String(chain.id),
    dt: isoTimestamp(start),
    quote_currency: "USD",
  });
  const volumes = days.starts.map((start, day): VolumeEcosystemChart => {
    const swaps = (ends[day + 1] ?? 0) - (ends[day] ?? 0);
    return { ...common(start), volume_quote: null, pretty_volume_quote: null, swap_count_24: swaps };
  });
  const liquidity = days.starts.map(
    (start): LiquidityEcosystemChart => ({ ...common(start), liquidity_quote: null, pretty_liquidity_quote: null }),
  );
  const item = {
    dex_name: exchange.name,
    chain_id: String(chain.id),
    quote_currency: "USD",
    gas_token_price_quote: null,
    total_swaps_24h: now - dayBefore,
    total_active_pairs_7d: active.total,
    total_fees_24h: null,
    pretty_gas_token_price_quote: null,
    pretty_total_fees_24h: null,
    volume_chart_7d: volumes.slice(-pointsOfWeek),
    volume_chart_30d: volumes,
    liquidity_chart_7d: liquidity.slice(-pointsOfWeek),
    liquidity_chart_30d: liquidity,
  };
  return { ...head, items: [item] };
};
