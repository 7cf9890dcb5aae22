import { notFound } from "../../lib/request-error.ts";
import { chainFields } from "../chains/view-chain.ts";
import { viewLendingDetails } from "../community/view-lending-details.ts";
import type { Handlers } from "../context.ts";
import { viewDexDetails } from "../dex/view-dex-details.ts";
import { viewNftSaleDetails } from "../nft/view-nft-sale-details.ts";
import { viewTransactions } from "./view-transaction.ts";

/** The transaction with the given hash, with its decoded logs. @throws {RequestError} 404 if the hash is not indexed. */
export const getTransaction: Handlers["getTransaction"] = async (
  { chain, txHash, noLogs, withDex, withNftSales, withLending, withSafe, quoteCurrency },
  context,
) => {
  const found = await context.ledger.transactionWithLogsByHash(chain.id, txHash, noLogs);
  if (found === null) throw notFound("Transaction", txHash, chain.name);
  const { transaction: row } = found;
  const [dexDetails, saleDetails, lendingDetails] = await Promise.all([
    withDex ? viewDexDetails(context, chain.id, row) : null,
    withNftSales ? viewNftSaleDetails(context, chain.id, row) : null,
    withLending ? viewLendingDetails(context, chain.id, row) : null,
  ]);
  return {
    ...chainFields(chain, context.contentTime()),
    items: await viewTransactions(context, chain.id, [found], { noLogs, quoteCurrency, withSafe, dexDetails, saleDetails, lendingDetails }),
  };
};
