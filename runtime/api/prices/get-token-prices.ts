import type { Chain, GetTokenPricesRequest } from "../../../generated/requests.gen.ts";
import type { TokenPricesResponse } from "../../../generated/responses.gen.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { notFound, unsupportedValue } from "../../lib/request-error.ts";
import { isoTimestamp, secondsPerDay, secondsPerHour, startOfDay } from "../../lib/time.ts";
import { forEachInTurns, mapInTurns } from "../../lib/turns.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { viewContract } from "../tokens/view-token.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "./view-quotes.ts";

/**
 * Token prices at the end of each day in a range, one object per address. @throws {RequestError} 404 if the only address is not a known token,
 * 400 if a day is in the future or there are more days than a response may list.
 */
export const getTokenPrices: Handlers["getTokenPrices"] = async (request, context) => {
  const { chain, quoteCurrency, contractAddress: addresses, pricesAtAsc } = request;
  const days = daysOf(context, request);
  const [metadata, rateOf, head] = await Promise.all([
    context.tokens.metadata(chain.id, addresses),
    context.prices.ratesOfDays(chain.id, quoteCurrency, addresses, days),
    context.ledger.head(chain.id),
  ]);
  // A stalled index's last prices do not apply to later days.
  const indexedUntil = (head?.timestamp ?? Number.NEGATIVE_INFINITY) + secondsPerHour;
  const [only, ...others] = addresses;
  if (only !== undefined && others.length === 0) await requireKnownToken(context, chain, only, metadata.get(only));
  const chainConfig = context.chains.get(chain.id);
  const shown = pricesAtAsc ? days : days.toReversed();
  const responses: TokenPricesResponse[] = [];
  await forEachInTurns(addresses, async (address) => {
    const contract = viewToken(context, chain, address, metadata.get(address));
    const prices = await mapInTurns(shown, (day) => {
      const price = day * secondsPerDay > indexedUntil ? null : ratePerWholeToken(rateOf(address, day), contract.contract_decimals);
      return {
        contract_metadata: contract,
        date: isoTimestamp(day * secondsPerDay),
        price: viewNumber(price),
        pretty_price: formatQuote(price, quoteCurrency),
      };
    });
    responses.push({
      ...contract,
      update_at: updatedAt(context.contentTime()),
      quote_currency: quoteCurrency,
      logo_urls: { token_logo_url: contract.logo_url, protocol_logo_url: null, chain_logo_url: chainConfig.logoUrl ?? null },
      prices,
      items: prices,
    });
  });
  return responses;
};

/** The requested days (days since 1970), oldest first. @throws {RequestError} 400 if one is in the future, or if there are too many. */
function daysOf({ currentTime, limits }: ResolverContext, { from, to, contractAddress }: GetTokenPricesRequest): number[] {
  const today = isoTimestamp(Math.floor(currentTime().getTime() / 1000)).slice(0, 10);
  for (const [name, day] of [
    ["from", from],
    ["to", to],
  ] as const) {
    if (day !== null && day > today) throw unsupportedValue(name, day, `a day no later than ${today}`);
  }
  const last = startOfDay(to ?? today) / secondsPerDay;
  const first = from === null ? last : startOfDay(from) / secondsPerDay;
  const max = Math.floor(limits.responseRows / contractAddress.length);
  const count = last - first + 1;
  if (count > max) {
    const tokens = contractAddress.length === 1 ? "one token" : `${contractAddress.length} tokens`;
    throw unsupportedValue("from", String(from), `a range of at most ${max} days for ${tokens}; this one has ${count}`);
  }
  return Array.from({ length: count }, (_, position) => first + position);
}

/**
 * Checks that a token is known. A price is enough, because an operator may import prices of a token that the index has never seen.
 * @throws {RequestError} 404 if it is not.
 */
async function requireKnownToken({ prices }: ResolverContext, chain: Chain, address: Address, metadata: TokenMetadata | undefined) {
  if (address === nativeTokenAddress || (metadata !== undefined && metadata.standards.length > 0)) return;
  if (!(await prices.pricedAssets(chain.id, [address])).has(address)) throw notFound("Token", address, chain.name);
}

const viewToken = ({ chains }: ResolverContext, chain: Chain, address: Address, metadata: TokenMetadata | undefined) => {
  const isNative = address === nativeTokenAddress;
  const contract = viewContract(chains.get(chain.id), address, isNative ? standards.native : standards.erc20, metadata);
  // The standards of a token without events are unknown.
  return metadata?.standards.length || isNative ? contract : { ...contract, supports_erc: null };
};
