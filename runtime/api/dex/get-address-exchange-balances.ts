import type { UniswapLikeToken } from "../../../generated/responses.gen.ts";
import { shareOf } from "../../domains/dex/queries/valuation.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { formatQuote, ratePerWholeToken, valueAtRate, viewNumber } from "../prices/view-quotes.ts";
import { requireExchange } from "./exchanges.ts";
import { anchorTime } from "./snapshots.ts";
import { viewPoolContract } from "./view-pool-contract.ts";

/**
 * An account's LP tokens from an exchange, with their shares of the reserves and their values.
 * @throws {RequestError} 404 if the exchange is unknown, 400 if the account has more LP tokens than a response may list.
 */
export const getAddressExchangeBalances: Handlers["getAddressExchangeBalances"] = async (request, context) => {
  const { chain, dexName, accountAddress } = request;
  const { factory } = requireExchange(context, chain, dexName);
  const block = context.anchor ?? -1;
  const max = context.limits.responseRows;
  const owned = await context.pools.poolsOfOwner(chain.id, [factory], accountAddress, block, max + 1);
  if (owned.length > max) throw unsupportedValue("accountAddress", accountAddress, `an account with at most ${max} LP tokens`);
  const assets = owned.flatMap(({ pool, token0, token1 }) => [pool, token0, token1]);
  const time = await anchorTime(context, chain);
  const [states, metadata, rate] = await Promise.all([
    context.pools.statesAt(
      chain.id,
      owned.map(({ pool }) => pool),
      [block],
    ),
    context.tokens.metadata(chain.id, assets),
    context.prices.ratesAt(chain.id, "USD", assets, time ?? 0),
  ]);
  const chainConfig = context.chains.get(chain.id);
  const viewAmount = (token: (typeof owned)[number]["pool"], balance: string | null): UniswapLikeToken => {
    const { contract_name: _, ...contract } = viewPoolContract(chainConfig, token, metadata.get(token));
    const quote = valueAtRate(balance, rate(token));
    const quoteRate = viewNumber(ratePerWholeToken(rate(token), contract.contract_decimals));
    return { ...contract, balance, quote: viewNumber(quote), pretty_quote: formatQuote(quote, "USD"), quote_rate: quoteRate };
  };
  return {
    address: accountAddress,
    ...chainFields(chain, context.contentTime()),
    items: await mapInTurns(owned, ({ pool, token0, token1, balance }) => {
      const [state] = states(pool);
      const supply = state?.supply ?? null;
      return {
        token_0: viewAmount(token0, shareOf(state?.reserve0 ?? null, balance, supply)),
        token_1: viewAmount(token1, shareOf(state?.reserve1 ?? null, balance, supply)),
        pool_token: { ...viewAmount(pool, balance), total_supply: supply },
      };
    }),
  };
};
