import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { bucketOfAddress } from "./buckets-of-address.ts";

/** A wallet's transactions in a span of 15 minutes. */
export const getTimeBucketTransactionsForAddress: Handlers["getTimeBucketTransactionsForAddress"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, noLogs, withSafe, timeBucket } = request;
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    ...(await bucketOfAddress(context, chain, walletAddress, timeBucket, { noLogs, quoteCurrency, withSafe })),
    indexed_from: context.indexedFrom,
  };
};
