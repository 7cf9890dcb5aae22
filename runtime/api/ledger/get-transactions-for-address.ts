import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { pageOfAddress } from "./pages-of-address.ts";

/** The newest page of a wallet's transactions. */
export const getTransactionsForAddress: Handlers["getTransactionsForAddress"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, noLogs, withSafe, blockSignedAtAsc } = request;
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    ...(await pageOfAddress(context, chain, walletAddress, null, { noLogs, quoteCurrency, withSafe, ascending: blockSignedAtAsc })),
    indexed_from: context.indexedFrom,
  };
};
