import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { DaySalesRow } from "../../domains/nft-sales/queries.ts";
import { groupBy } from "../../lib/group-by.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { notFound } from "../../lib/request-error.ts";
import { secondsPerDay } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { isNftStandard } from "../tokens/view-token.ts";
import { createPaymentRate, type PaymentRate } from "./payment-values.ts";
import { marketplaceAddresses } from "./view-nft-sale-details.ts";

/** The parameters of collection market operations. */
export interface MarketRequest {
  readonly chain: Chain;
  readonly contractAddress: Address;
  readonly days: number;
  readonly quoteCurrency: Currency;
}

/** A collection's sales, day by day. */
export interface MarketDays {
  /** Newest first (days since 1970). */
  readonly days: readonly number[];
  /** Whether the index has all sales since the start of a day; false without a configured marketplace. */
  readonly hasAllSalesSince: (day: number) => boolean;
  readonly salesOf: (day: number) => readonly DaySalesRow[];
  /** Payment token rates at the end of a day, or the current ones for the current day. */
  readonly rateOf: (day: number) => PaymentRate;
}

/** The UTC day that contains a time, in days since 1970. */
export const dayOf = (time: number): number => Math.floor(time / secondsPerDay);

/**
 * The sales in the last UTC days up to the newest indexed block's day, and in `lookBack` days before them. The first indexed block's day is
 * incomplete unless the index starts at the chain's first block. @throws {RequestError} 404 if the contract is not a collection.
 */
export async function marketDays(context: ResolverContext, request: MarketRequest, lookBack = 0): Promise<MarketDays> {
  const { chain, contractAddress, quoteCurrency } = request;
  const { anchor, indexedFrom, nftSales, ledger, tokens, prices } = context;
  const metadata = await tokens.metadata(chain.id, [contractAddress]);
  if (!metadata.get(contractAddress)?.standards.some(isNftStandard)) throw notFound("Collection", contractAddress, chain.name);
  const [head, first] = await Promise.all(
    [anchor, indexedFrom].map((block) => (block === null ? null : ledger.blockByNumber(chain.id, block))),
  );
  const today = dayOf(head?.timestamp ?? context.contentTime().getTime() / 1000);
  const days = Array.from({ length: request.days }, (_, position) => today - position);
  const settings = context.chains.get(chain.id);
  const marketplaces = marketplaceAddresses(settings);
  const span = [today - request.days + 1 - lookBack, today] as const;
  const rows = marketplaces.length === 0 ? [] : await nftSales.salesOfDays(chain.id, contractAddress, marketplaces, span, anchor ?? -1);
  const paid = new Set(rows.map(({ payment_token }) => payment_token));
  const priced = await prices.pricedAssets(chain.id, [...paid, nativeTokenAddress]);
  const rates = await prices.ratesOfDays(chain.id, quoteCurrency, [...priced], days);
  const byDay = groupBy(rows, ({ day }) => day);
  const fromStart = first ? dayOf(first.timestamp) + 1 : Number.NEGATIVE_INFINITY;
  // Without a configured marketplace, no sales are included.
  const knownFrom = marketplaces.length === 0 ? Number.POSITIVE_INFINITY : fromStart;
  return {
    days,
    hasAllSalesSince: (day) => day >= knownFrom,
    salesOf: (day) => byDay.get(day) ?? [],
    rateOf: (day) => createPaymentRate((asset) => rates(asset, day), settings.wrappedNative, settings.nativeToken.decimals),
  };
}

/** The fields at the start of every response about a collection's market. */
export const marketFields = (context: ResolverContext, { chain, contractAddress, quoteCurrency }: MarketRequest) => ({
  ...chainFields(chain, context.contentTime()),
  address: contractAddress,
  quote_currency: quoteCurrency,
});
