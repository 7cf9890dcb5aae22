import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { viewActions } from "./view-actions.ts";

/** An account's actions on an exchange, newest first. @throws {RequestError} 404 if the exchange is unknown. */
export const getTransactionsForAccountAddress: Handlers["getTransactionsForAccountAddress"] = async (request, context) => {
  const { chain, dexName, accountAddress, page } = request;
  const { factory } = requireExchange(context, chain, dexName);
  const block = context.anchor ?? -1;
  const key = await context.pools.exchangeKey(chain.id, factory, block);
  const actions = await context.pools.actionsOfAccount(chain.id, key, accountAddress, block, page.size + 1, page.number * page.size);
  const list = { factory, address: accountAddress, quoteCurrency: "USD" } as const;
  return { ...chainFields(chain, context.contentTime()), ...(await viewActions(context, chain, list, actions, page)) };
};
