import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { requireToken, sharedPoolsWith } from "./shared-pools.ts";
import { viewActions } from "./view-actions.ts";

/** The actions in an exchange's pools with a token, newest first. @throws {RequestError} 404 if the exchange or the token is unknown. */
export const getTransactionsForTokenAddress: Handlers["getTransactionsForTokenAddress"] = async (request, context) => {
  const { chain, dexName, tokenAddress, page } = request;
  const { factory } = requireExchange(context, chain, dexName);
  const block = context.anchor ?? -1;
  const shared = await sharedPoolsWith(context, chain, factory, tokenAddress, block);
  const key = { factory, sharedPools: shared.map(({ pool }) => pool) };
  const actions = await context.pools.actionsOfToken(chain.id, key, tokenAddress, block, page.size + 1, page.number * page.size);
  if (actions.total === 0) await requireToken(context, chain, tokenAddress);
  const list = { factory, address: tokenAddress, quoteCurrency: "USD" } as const;
  return { ...chainFields(chain, context.contentTime()), ...(await viewActions(context, chain, list, actions, page)) };
};
