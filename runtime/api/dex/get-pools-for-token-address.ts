import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireToken } from "./shared-pools.ts";
import { requestedExchanges, viewPoolsOfExchanges } from "./view-pools-of-exchanges.ts";

/** The pools with a token on a network's exchanges, by address. @throws {RequestError} 404 if the exchange or the token is unknown. */
export const getPoolsForTokenAddress: Handlers["getPoolsForTokenAddress"] = async (request, context) => {
  const { chain, tokenAddress, quoteCurrency, dexName, page } = request;
  const exchanges = requestedExchanges(context, chain, dexName);
  const factories = exchanges.map(({ factory }) => factory);
  const { rows, total } = await context.pools.poolsOfToken(
    chain.id,
    factories,
    tokenAddress,
    context.anchor ?? -1,
    page.size + 1,
    page.number * page.size,
  );
  if (total === 0) await requireToken(context, chain, tokenAddress);
  return {
    address: tokenAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    items: await viewPoolsOfExchanges(context, chain, exchanges, rows.slice(0, page.size), quoteCurrency),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
  };
};
