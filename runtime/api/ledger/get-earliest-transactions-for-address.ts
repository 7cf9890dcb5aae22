import type { Chain } from "../../../generated/requests.gen.ts";
import type { Address } from "../../lib/hex.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { bucketOf, bucketOfAddress } from "./buckets-of-address.ts";

/** The first 15 minutes in which a wallet has transactions. */
export const getEarliestTransactionsForAddress: Handlers["getEarliestTransactionsForAddress"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, noLogs, withSafe } = request;
  const bucket = await firstBucket(context, chain, walletAddress);
  return {
    address: walletAddress,
    ...chainFields(chain, context.now()),
    quote_currency: quoteCurrency,
    ...(await bucketOfAddress(context, chain, walletAddress, bucket, { noLogs, quoteCurrency, withSafe })),
    indexed_from: context.indexedFrom,
  };
};

/** The bucket of a wallet's first transaction; without one the bucket of the head, where it may still appear. */
async function firstBucket({ ledger, now }: ResolverContext, chain: Chain, address: Address): Promise<number> {
  const times = await ledger.timesOfOrdinals(chain.id, address, [0]);
  const time = times.get(0) ?? (await ledger.head(chain.id))?.timestamp ?? now().getTime() / 1000;
  return bucketOf(time);
}
