import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { exchangesOf, viewExchange } from "./exchanges.ts";

/** Every configured exchange on every configured network. */
export const getSupportedDexes: Handlers["getSupportedDexes"] = async (_request, context) => ({
  updated_at: updatedAt(context.contentTime()),
  items: context.chains.evmChains().flatMap((chain) => exchangesOf(chain).map((exchange) => viewExchange(chain, exchange))),
  pagination: null,
});
