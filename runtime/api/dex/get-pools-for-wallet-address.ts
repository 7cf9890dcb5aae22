import { unsupportedValue } from "../../lib/request-error.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requestedExchanges, viewPoolsOfExchanges } from "./view-pools-of-exchanges.ts";

/**
 * The pools on a network's exchanges whose LP token a wallet holds, by address.
 * @throws {RequestError} 404 if the exchange is unknown, 400 if the wallet has more LP tokens than a response may list.
 */
export const getPoolsForWalletAddress: Handlers["getPoolsForWalletAddress"] = async (request, context) => {
  const { chain, walletAddress, tokenAddress, quoteCurrency, dexName, page } = request;
  const exchanges = requestedExchanges(context, chain, dexName);
  const factories = exchanges.map(({ factory }) => factory);
  const max = context.limits.responseRows;
  const all = await context.pools.poolsOfOwner(chain.id, factories, walletAddress, context.anchor ?? -1, max + 1);
  if (all.length > max) throw unsupportedValue("walletAddress", walletAddress, `a wallet with at most ${max} LP tokens`);
  const owned = all.filter(({ token0, token1 }) => tokenAddress === null || token0 === tokenAddress || token1 === tokenAddress);
  const first = page.number * page.size;
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    items: await viewPoolsOfExchanges(context, chain, exchanges, owned.slice(first, first + page.size), quoteCurrency),
    pagination: { has_more: first + page.size < owned.length, page_number: page.number, page_size: page.size, total_count: owned.length },
  };
};
