import type { Currency } from "../../../generated/requests.gen.ts";
import type { TokenTransferItem } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import type { TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import { type Labels, labelOf } from "../../domains/names/labels.ts";
import type { PriceLookup } from "../../domains/prices/queries/price.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { ratesByTime } from "../../domains/prices/queries/rates-by-time.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { TransferRow } from "../../domains/tokens/queries/transfer.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { forEachInTurns, mapInTurns } from "../../lib/turns.ts";
import { rangeOf } from "../block-references.ts";
import { chainFields, transactionExplorers } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { viewTransactionFields } from "../ledger/view-transaction.ts";
import { quoteOf, valueAtRate, viewNumber } from "../prices/view-quotes.ts";
import { poisoningAmong, spamAmong } from "./spam.ts";
import { viewContract } from "./view-token.ts";

/** ERC-20 transfers from and to a wallet, newest first; an item is a transaction with the wallet's transfers in it. */
export const getErc20TransfersForWalletAddress: Handlers["getErc20TransfersForWalletAddress"] = async (request, context) => {
  const { chain, walletAddress, contractAddress, quoteCurrency, page } = request;
  const { indexedFrom, ledger, tokens } = context;
  const range = rangeOf(context, request, indexedFrom);
  const offset = page.number * page.size;
  const { positions, total } =
    range === null
      ? { positions: [], total: 0 }
      : contractAddress === null
        ? await tokens.transferTransactions(chain.id, walletAddress, range.first, range.last, page.size + 1, offset)
        : await tokens.transferTransactionsOfToken(
            chain.id,
            walletAddress,
            contractAddress,
            range.first,
            range.last,
            page.size + 1,
            offset,
          );
  const shown = positions.slice(0, page.size);
  const [transactions, transfers] = await Promise.all([
    ledger.transactionsAt(chain.id, shown),
    tokens.transfersAt(chain.id, walletAddress, contractAddress, shown),
  ]);
  const transactionAt = new Map(transactions.map((row) => [keyOf(row), row]));
  const transactionOf = await mapInTurns(transfers, (transfer) => transactionAt.get(keyOf(transfer)));
  const [metadata, labels, rateAt] = await Promise.all([
    tokens.metadata(chain.id, tokensOf(transfers)),
    context.labels(chain.id, partiesOf(transactions, transfers)),
    ratesByTime(context.prices, chain.id, quoteCurrency, priceLookups(transactions, transfers, transactionOf)),
  ]);
  const chainConfig = context.chains.get(chain.id);
  const [spam, poisoning] = await Promise.all([
    spamAmong(context, chain, metadata.values()),
    poisoningAmong(context, chain, walletAddress, transfers, (transfer) => transactionAt.get(keyOf(transfer))?.from_address),
  ]);
  /** The viewed transfers of each transaction. */
  const viewedOf = new Map<TransactionRow, TokenTransferItem[]>();
  await forEachInTurns(transfers, (transfer, index) => {
    const transaction = transactionOf[index];
    if (transaction === undefined) return;
    const viewed = viewTransfer(chainConfig, walletAddress, transaction, transfer, {
      metadata: metadata.get(transfer.token),
      labels,
      rate: rateAt(transfer.token, transaction.timestamp),
      currency: quoteCurrency,
      isSpam: spam.has(transfer.token),
      isPoisoning: poisoning.has(transfer),
    });
    const others = viewedOf.get(transaction);
    if (others === undefined) viewedOf.set(transaction, viewed);
    else others.push(...viewed);
  });
  const items = await mapInTurns(shown, (position) => {
    const transaction = transactionAt.get(keyOf(position));
    if (transaction === undefined) return [];
    const native = { rate: rateAt(nativeTokenAddress, transaction.timestamp), currency: quoteCurrency };
    return [{ ...viewTransactionFields(chainConfig, transaction, labels, native), transfers: viewedOf.get(transaction) ?? [] }];
  });
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    items: items.flat(),
    pagination: { has_more: positions.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
    indexed_from: indexedFrom,
  };
};

const keyOf = (position: { readonly block_number: number; readonly transaction_index: number }): string =>
  `${position.block_number}:${position.transaction_index}`;

function* tokensOf(transfers: readonly TransferRow[]): Generator<Address> {
  for (const { token } of transfers) yield token;
}

/** The rows' senders and recipients. */
function* partiesOf(transactions: readonly TransactionRow[], transfers: readonly TransferRow[]): Generator<Address | null> {
  for (const rows of [transactions, transfers]) {
    for (const row of rows) {
      yield row.from_address;
      yield row.to_address;
    }
  }
}

/** The price lookups for the native token and for transferred tokens, each at the time of its transaction. */
function* priceLookups(
  transactions: readonly TransactionRow[],
  transfers: readonly TransferRow[],
  transactionOf: readonly (TransactionRow | undefined)[],
): Generator<PriceLookup> {
  for (const { timestamp } of transactions) yield { asset: nativeTokenAddress, time: timestamp };
  for (const [index, { token }] of transfers.entries()) {
    const time = transactionOf[index]?.timestamp;
    if (time !== undefined) yield { asset: token, time };
  }
}

/** The data that a transfer's view depends on. */
interface TransferView {
  readonly metadata: TokenMetadata | undefined;
  readonly labels: Labels;
  /** The token's rate at the time of the transfer. */
  readonly rate: Rate;
  readonly currency: Currency;
  readonly isSpam: boolean;
  readonly isPoisoning: boolean;
}

/** A transfer from the wallet's point of view; a transfer to itself is both an OUT and an IN, so that deltas add up. */
function viewTransfer(
  chain: ChainConfig,
  wallet: Address,
  transaction: TransactionRow,
  transfer: TransferRow,
  { metadata, labels, rate, currency, isSpam, isPoisoning }: TransferView,
): TokenTransferItem[] {
  const { supports_erc: _, ...contract } = viewContract(chain, transfer.token, standards.erc20, metadata);
  const delta = quoteOf(transfer.amount, rate, contract.contract_decimals, currency);
  const item = (type: "IN" | "OUT", balance: string | null) => ({
    block_signed_at: isoTimestamp(transaction.timestamp),
    tx_hash: transaction.hash,
    from_address: transfer.from_address,
    from_address_label: labelOf(labels, transfer.from_address),
    to_address: transfer.to_address,
    to_address_label: labelOf(labels, transfer.to_address),
    ...contract,
    transfer_type: type,
    delta: transfer.amount,
    balance,
    quote_rate: delta.rate,
    delta_quote: delta.quote,
    pretty_delta_quote: delta.pretty,
    balance_quote: viewNumber(valueAtRate(balance, rate)),
    method_calls: null,
    explorers: transactionExplorers(chain, transaction.hash),
    is_spam: isSpam,
    is_poisoning: isPoisoning,
  });
  return [
    ...(transfer.from_address === wallet ? [item("OUT", transfer.from_balance)] : []),
    ...(transfer.to_address === wallet ? [item("IN", transfer.to_balance)] : []),
  ];
}
