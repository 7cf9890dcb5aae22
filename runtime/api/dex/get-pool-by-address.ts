import { notFound } from "../../lib/request-error.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { snapshotAtAnchor } from "./snapshots.ts";
import { viewPoolSeries } from "./view-pool-series.ts";

/** A pool with its daily series. @throws {RequestError} 404 if the exchange is unknown or the contract is not one of its pools. */
export const getPoolByAddress: Handlers["getPoolByAddress"] = async ({ chain, dexName, poolAddress }, context) => {
  const exchange = requireExchange(context, chain, dexName);
  const [pools, snapshot] = await Promise.all([
    context.pools.poolsAt(chain.id, [exchange.factory], [poolAddress], context.anchor ?? -1),
    snapshotAtAnchor(context, chain),
  ]);
  if (pools.length === 0 || snapshot === null) throw notFound("Pool", poolAddress, chain.name);
  return {
    ...chainFields(chain, context.contentTime()),
    items: await viewPoolSeries(context, chain, exchange, pools, snapshot),
    pagination: null,
  };
};
