import { unsupportedValue } from "../../lib/request-error.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { requireToken } from "./shared-pools.ts";
import { pointsOfMonth, snapshotAtAnchor } from "./snapshots.ts";
import { viewPoolSeries } from "./view-pool-series.ts";

/**
 * An exchange's pools with a token, by address, each with its daily series.
 * @throws {RequestError} 404 if the exchange or the token is unknown, 400 if the page has more days than a response may list.
 */
export const getSingleNetworkExchangeToken: Handlers["getSingleNetworkExchangeToken"] = async (request, context) => {
  const { chain, dexName, tokenAddress, page } = request;
  const exchange = requireExchange(context, chain, dexName);
  const [{ rows, total }, snapshot] = await Promise.all([
    context.pools.poolsOfToken(chain.id, [exchange.factory], tokenAddress, context.anchor ?? -1, page.size + 1, page.number * page.size),
    snapshotAtAnchor(context, chain),
  ]);
  if (total === 0) await requireToken(context, chain, tokenAddress);
  const max = Math.max(1, Math.floor(context.limits.responseRows / pointsOfMonth));
  if (Math.min(rows.length, page.size) > max) {
    throw unsupportedValue("page-size", String(page.size), `at most ${max} pools, each with a month of days`);
  }
  return {
    ...chainFields(chain, context.contentTime()),
    items: snapshot === null ? [] : await viewPoolSeries(context, chain, exchange, rows.slice(0, page.size), snapshot),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
  };
};
