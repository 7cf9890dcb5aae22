import type { Chain } from "../../../generated/requests.gen.ts";
import type { ExchangeHour } from "../../domains/dex/queries/exchange-hours.ts";
import type { TokenState } from "../../domains/pools/queries/state.ts";
import type { Address } from "../../lib/hex.ts";
import { secondsPerDay } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { requireExchange } from "./exchanges.ts";
import { sharedPoolsOf } from "./shared-pools.ts";
import { rankedSnapshot, type Snapshot } from "./snapshots.ts";
import { statsOfToken, type TokenStats, viewExchangeToken } from "./view-exchange-token.ts";

/**
 * The tokens in an exchange's pools as of the last closed hour: by descending value, then tokens of unknown value by address; all by address if that hour
 * has no roll-up. @throws {RequestError} 404 if the exchange is unknown.
 */
export const getNetworkExchangeTokens: Handlers["getNetworkExchangeTokens"] = async ({ chain, dexName, page }, context) => {
  const exchange = requireExchange(context, chain, dexName);
  const snapshot = await rankedSnapshot(context, chain, exchange.factory, null);
  const end = snapshot?.end ?? 0;
  const { tokens, total } = await pageOf(context, chain, exchange.factory, snapshot, snapshot?.rollUp ?? null, page);
  const shown = tokens.slice(0, page.size);
  const addresses = shown.map(({ token }) => token);
  const [rateAt, metadata] = await Promise.all([
    context.prices.ratesAtEachTime(chain.id, "USD", addresses, [end - 1, end - 1 - secondsPerDay]),
    context.tokens.metadata(chain.id, addresses),
  ]);
  return {
    ...chainFields(chain, context.contentTime()),
    items: shown.map((stats) => {
      const rates = { now: rateAt(stats.token, end - 1), dayBefore: rateAt(stats.token, end - 1 - secondsPerDay) };
      return viewExchangeToken(chain, context.chains.get(chain.id), exchange, metadata.get(stats.token), stats, rates, "USD");
    }),
    pagination: { has_more: tokens.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
  };
};

interface PageOfTokens {
  /** One more than the page size, if there are more. */
  readonly tokens: readonly TokenStats[];
  readonly total: number | null;
}

const pageOf = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  snapshot: Snapshot | null,
  rollUp: ExchangeHour | null,
  page: { readonly number: number; readonly size: number },
): Promise<PageOfTokens> => {
  const [first, limit] = [page.number * page.size, page.size + 1];
  const block = snapshot?.lastBlock ?? -1;
  const ranked = rollUp === null ? [] : await context.rollUps.rankedTokens(chain.id, factory, rollUp.hour, first, limit);
  if (rollUp !== null && ranked.length === limit) return { tokens: ranked, total: rollUp.tokens };
  const shared = await sharedPoolsOf(context, chain, factory, block);
  const others = shared.flatMap(({ token0, token1 }) => [token0, token1]);
  const unranked = await (rollUp === null
    ? context.pools.tokensOfExchange(chain.id, factory, others, block, limit, first)
    : {
        tokens: await context.rollUps.unrankedTokens(
          chain.id,
          factory,
          rollUp.hour,
          others,
          block,
          limit - ranked.length,
          Math.max(0, first - rollUp.ranked_tokens),
        ),
        total: rollUp.tokens,
      });
  const unrankedTokens = new Set(unranked.tokens);
  const sharedWithUnranked = shared.filter(({ token0, token1 }) => unrankedTokens.has(token0) || unrankedTokens.has(token1));
  const states = await context.pools.tokenStatesAt(chain.id, factory, unranked.tokens, sharedWithUnranked, [
    block,
    snapshot?.blockDayBefore ?? null,
  ]);
  const stats = unranked.tokens.map((token) => {
    const [now, dayBefore] = states(token) as readonly [TokenState, TokenState];
    return statsOfToken(token, dayBefore, now);
  });
  return { tokens: [...ranked, ...stats], total: unranked.total };
};
