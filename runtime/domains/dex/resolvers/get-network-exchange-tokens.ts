import type { Handlers } from "../../context.ts";
import type { TokenState } from "../../pools/state-queries.ts";
import { chainHead } from "../../views/chain.ts";
import { exchangeNamed } from "./exchanges.ts";
import { closedMoment } from "./moments.ts";
import { viewExchangeToken } from "./token-figures.ts";
import { sharedPoolsOf } from "./tokens.ts";

/** The tokens of an exchange's pools as of the last closed hour, by address. @throws {RequestError} 404, an unknown exchange. */
export const getNetworkExchangeTokens: Handlers["getNetworkExchangeTokens"] = async ({ chain, dexName, page }, context) => {
  const exchange = exchangeNamed(context, chain, dexName);
  const moment = await closedMoment(context, chain, null);
  const block = moment?.at ?? -1;
  const shared = await sharedPoolsOf(context, chain, exchange.factory, block);
  const { tokens, total } = await context.pools.tokensOfExchange(
    chain.id,
    exchange.factory,
    shared.flatMap(({ token0, token1 }) => [token0, token1]),
    block,
    page.size + 1,
    page.number * page.size,
  );
  const shown = tokens.slice(0, page.size);
  const [states, metadata] = await Promise.all([
    context.pools.tokenStatesAt(chain.id, exchange.factory, shown, shared, [block, moment?.dayBefore ?? null]),
    context.tokens.metadata(chain.id, shown),
  ]);
  return {
    ...chainHead(chain, context.now()),
    items: shown.map((token) => {
      const [now, dayBefore] = states(token) as readonly [TokenState, TokenState];
      return viewExchangeToken(chain, context.chains.get(chain.id), exchange, token, metadata.get(token), { now, dayBefore });
    }),
    pagination: { has_more: tokens.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
  };
};
