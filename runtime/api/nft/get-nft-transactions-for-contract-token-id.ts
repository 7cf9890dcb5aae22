import type { NftTransactionItem, Transaction } from "../../../generated/responses.gen.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { sortInTurns } from "../../lib/sort-in-turns.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { chainFields, tokenLogo } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { viewTransactions, withLogs } from "../ledger/view-transaction.ts";
import { collectionOf, standardsOf, viewCollection } from "./collection.ts";

/**
 * The transactions that transferred a token, newest first. @throws {RequestError} 404 if the collection is unknown, 400 if there are more transactions than a
 * response may list.
 */
export const getNftTransactionsForContractTokenId: Handlers["getNftTransactionsForContractTokenId"] = async (request, context) => {
  const { chain, contractAddress, tokenId, noSpam } = request;
  const { ledger, limits, nfts, anchor } = context;
  const common = chainFields(chain, context.contentTime());
  const { metadata, standard, isSpam } = await collectionOf(context, chain, contractAddress);
  if (noSpam && isSpam) return { ...common, items: [] };
  const max = limits.responseRows;
  const positions = anchor === null ? [] : await nfts.nftTransactions(chain.id, contractAddress, tokenId, anchor, max + 1);
  if (positions.length > max) throw unsupportedValue("tokenId", String(tokenId), `a token with at most ${max} transactions`);
  const rows = positions.length === 0 ? [] : await ledger.transactionsAt(chain.id, positions);
  const newest = await sortInTurns(
    rows,
    (left, right) => right.block_number - left.block_number || right.transaction_index - left.transaction_index,
  );
  const logged = await withLogs(context, chain.id, newest, false);
  const transactions = await viewTransactions(context, chain.id, logged, { noLogs: false, quoteCurrency: "USD", withSafe: false });
  return {
    ...common,
    items: [
      {
        contract_decimals: metadata.decimals,
        ...viewCollection(metadata),
        logo_url: tokenLogo(context.chains.get(chain.id), contractAddress),
        supports_erc: standardsOf(metadata, standard),
        nft_transactions: await mapInTurns(transactions, toItem),
        is_spam: isSpam,
      },
    ],
  };
};

/** The fields of a transaction in this list. */
const toItem = (transaction: Transaction): NftTransactionItem => ({
  block_signed_at: transaction.block_signed_at,
  block_height: transaction.block_height,
  tx_hash: transaction.tx_hash,
  tx_offset: transaction.tx_offset,
  successful: transaction.successful,
  from_address: transaction.from_address,
  from_address_label: transaction.from_address_label,
  to_address: transaction.to_address,
  to_address_label: transaction.to_address_label,
  value: transaction.value,
  value_quote: transaction.value_quote,
  pretty_value_quote: transaction.pretty_value_quote,
  gas_offered: transaction.gas_offered,
  gas_spent: transaction.gas_spent,
  gas_price: transaction.gas_price,
  fees_paid: transaction.fees_paid,
  gas_quote: transaction.gas_quote,
  pretty_gas_quote: transaction.pretty_gas_quote,
  gas_quote_rate: transaction.gas_quote_rate,
  log_events: transaction.log_events,
});
