import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { viewActions } from "./view-actions.ts";

/** The actions in all of an exchange's pools, newest first. @throws {RequestError} 404 if the exchange is unknown. */
export const getTransactionsForDex: Handlers["getTransactionsForDex"] = async ({ chain, dexName, quoteCurrency, page }, context) => {
  const { factory } = requireExchange(context, chain, dexName);
  const block = context.anchor ?? -1;
  const key = await context.pools.exchangeKey(chain.id, factory, block);
  const actions = await context.pools.actionsOfExchange(chain.id, key, block, page.size + 1, page.number * page.size);
  return {
    ...chainFields(chain, context.contentTime()),
    ...(await viewActions(context, chain, { factory, address: null, quoteCurrency }, actions, page)),
  };
};
