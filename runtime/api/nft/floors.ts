import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { LowestPriceRow } from "../../domains/nft-sales/queries.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import type { ResolverContext } from "../context.ts";
import { dayOf } from "./market-days.ts";
import { createPaymentRate, floorDays, floorOf, type Payment, type PaymentValue } from "./payment-values.ts";
import { marketplaceAddresses } from "./view-nft-sale-details.ts";

/**
 * The current floor prices of collections, in whole native tokens and in a currency: the cheapest sale of the last thirty days without wash trades, which is
 * the floor price endpoint's value for the newest day. Collections without a floor are omitted.
 */
export async function currentFloors(
  context: ResolverContext,
  chain: Chain,
  collections: Iterable<Address>,
  currency: Currency,
): Promise<ReadonlyMap<Address, PaymentValue>> {
  const { indexedFrom, anchor, ledger, nftSales, prices } = context;
  const settings = context.chains.get(chain.id);
  const marketplaces = marketplaceAddresses(settings);
  const wanted = new Set(collections);
  if (wanted.size === 0 || marketplaces.length === 0 || anchor === null) return new Map();
  const [head, first] = await Promise.all([
    ledger.blockByNumber(chain.id, anchor),
    indexedFrom === null ? null : ledger.blockByNumber(chain.id, indexedFrom),
  ]);
  if (head === null) return new Map();
  const today = dayOf(head.timestamp);
  const since = today - floorDays + 1;
  if (first !== null && dayOf(first.timestamp) >= since) return new Map();
  const lowest = await nftSales.lowestPricesOfDays(chain.id, wanted, marketplaces, [since, today], anchor);
  const payments = [...lowest.values()].flatMap((rows) => rows.map(({ payment_token }) => payment_token));
  const rates = await prices.ratesOfDays(chain.id, currency, [...new Set([...payments, nativeTokenAddress])], [today]);
  const rate = createPaymentRate((asset) => rates(asset, today), settings.wrappedNative, settings.nativeToken.decimals);
  const paymentOf = ({ payment_token, lowest: amount }: LowestPriceRow): Payment => ({ payment_token, amount });
  return new Map(
    [...lowest].flatMap(([collection, rows]) => (rows.length === 0 ? [] : [[collection, floorOf(rows.map(paymentOf), rate)]])),
  );
}
