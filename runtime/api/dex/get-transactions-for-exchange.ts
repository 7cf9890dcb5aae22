import { notFound } from "../../lib/request-error.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { viewActions } from "./view-actions.ts";

/** The actions in a pool, newest first. @throws {RequestError} 404 if the exchange is unknown or the contract is not one of its pools. */
export const getTransactionsForExchange: Handlers["getTransactionsForExchange"] = async (
  { chain, dexName, poolAddress, page },
  context,
) => {
  const { factory } = requireExchange(context, chain, dexName);
  const block = context.anchor ?? -1;
  const [pool] = await context.pools.poolsAt(chain.id, [factory], [poolAddress], block);
  if (pool === undefined) throw notFound("Pool", poolAddress, chain.name);
  const actions = await context.pools.actionsOfPool(chain.id, poolAddress, block, page.size + 1, page.number * page.size);
  const list = { factory, address: poolAddress, quoteCurrency: "USD" } as const;
  return { ...chainFields(chain, context.contentTime()), ...(await viewActions(context, chain, list, actions, page)) };
};
