import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { bucketOfAddress } from "./buckets-of-address.ts";

/** The first 15 minutes in which a wallet has transactions. */
export const getEarliestTransactionsForAddress: Handlers["getEarliestTransactionsForAddress"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, noLogs, withSafe } = request;
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    ...(await bucketOfAddress(context, chain, walletAddress, null, { noLogs, quoteCurrency, withSafe })),
    indexed_from: context.indexedFrom,
  };
};
