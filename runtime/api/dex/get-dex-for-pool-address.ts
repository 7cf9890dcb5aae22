import { notFound } from "../../lib/request-error.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { exchangesOf, viewExchange } from "./exchanges.ts";

/** The exchange whose factory announced a pool. @throws {RequestError} 404 if no exchange on the network announced the contract. */
export const getDexForPoolAddress: Handlers["getDexForPoolAddress"] = async ({ chain, poolAddress }, context) => {
  const chainConfig = context.chains.get(chain.id);
  const exchanges = exchangesOf(chainConfig);
  const rows = await context.pools.poolsAt(
    chain.id,
    exchanges.map(({ factory }) => factory),
    [poolAddress],
    context.anchor ?? -1,
  );
  const exchange = exchanges.find(({ factory }) => rows.some((row) => row.factory === factory));
  if (exchange === undefined) throw notFound("Pool", poolAddress, chain.name);
  return { address: poolAddress, ...chainFields(chain, context.contentTime()), items: [viewExchange(chainConfig, exchange)] };
};
