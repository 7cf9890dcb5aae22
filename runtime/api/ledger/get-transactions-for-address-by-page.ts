import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { pageOfAddress } from "./pages-of-address.ts";

/** One page of a wallet's transactions; page 0 contains the oldest. */
export const getTransactionsForAddressByPage: Handlers["getTransactionsForAddressByPage"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, noLogs, withSafe, blockSignedAtAsc, page } = request;
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    ...(await pageOfAddress(context, chain, walletAddress, page, { noLogs, quoteCurrency, withSafe, ascending: blockSignedAtAsc })),
    indexed_from: context.indexedFrom,
  };
};
