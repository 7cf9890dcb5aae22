import type { Currency } from "../../../generated/requests.gen.ts";
import type { Transaction } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import type { LogRow } from "../../domains/ledger/queries/log-row.ts";
import type { TransactionPosition, TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import type { TransactionWithLogs } from "../../domains/ledger/queries/transaction-with-logs.ts";
import { type Labels, labelOf } from "../../domains/names/labels.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { ratesByTime } from "../../domains/prices/queries/rates-by-time.ts";
import { nativeTokenAddress } from "../../lib/hex.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { forEachInTurns, groupInTurns, mapInTurns } from "../../lib/turns.ts";
import { nativeMetadata, transactionExplorers } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { quoteOf } from "../prices/view-quotes.ts";
import { sendersOf, viewLog } from "./view-log.ts";
import { safeDetailsOf } from "./view-safe-details.ts";

/** Options for a transaction list. */
export interface TransactionOptions {
  readonly noLogs: boolean;
  readonly quoteCurrency: Currency;
  readonly withSafe: boolean;
  /** Null if not requested. */
  readonly dexDetails?: Transaction["dex_details"];
  /** Null if not requested. */
  readonly saleDetails?: Transaction["nft_sale_details"];
  /** Null if not requested. */
  readonly lendingDetails?: Transaction["lending_details"];
}

/** The native token's rate at the time of a transaction, and the currency. */
export interface NativeQuote {
  readonly rate: Rate;
  readonly currency: Currency;
}

/** The fees that a transaction's sender paid: gas at the effective price, the L1 fee, and the blob fee (EIP-4844). */
const feesPaid = (row: Pick<TransactionRow, "gas_used" | "gas_price" | "l1_fee" | "blob_fee">): bigint =>
  BigInt(row.gas_used) * BigInt(row.gas_price) + BigInt(row.l1_fee ?? 0) + BigInt(row.blob_fee ?? 0);

/** The fields that all transaction items share. */
export function viewTransactionFields(chain: ChainConfig, row: TransactionRow, labels: Labels, { rate, currency }: NativeQuote) {
  const { decimals } = chain.nativeToken;
  const paid = feesPaid(row).toString();
  const value = quoteOf(row.value, rate, decimals, currency);
  const gas = quoteOf(paid, rate, decimals, currency);
  return {
    block_signed_at: isoTimestamp(row.timestamp),
    block_height: row.block_number,
    block_hash: row.block_hash,
    tx_hash: row.hash,
    tx_offset: row.transaction_index,
    successful: row.successful,
    miner_address: row.miner,
    from_address: row.from_address,
    from_address_label: labelOf(labels, row.from_address),
    to_address: row.to_address,
    to_address_label: labelOf(labels, row.to_address),
    value: row.value,
    value_quote: value.quote,
    pretty_value_quote: value.pretty,
    gas_metadata: nativeMetadata(chain),
    gas_offered: Number(row.gas_limit),
    gas_spent: row.gas_used,
    gas_price: Number(row.gas_price),
    fees_paid: paid,
    gas_quote: gas.quote,
    pretty_gas_quote: gas.pretty,
    gas_quote_rate: gas.rate,
  };
}

/** Transactions as items, with their decoded logs unless `noLogs`. */
export async function viewTransactions(
  context: ResolverContext,
  chainId: number,
  items: readonly TransactionWithLogs[],
  { noLogs, quoteCurrency: currency, withSafe, dexDetails = null, saleDetails = null, lendingDetails = null }: TransactionOptions,
): Promise<Transaction[]> {
  const chain = context.chains.get(chainId);
  const rows = items.map(({ transaction }) => transaction);
  const [senders, labels, rateAt, safeDetails] = await Promise.all([
    sendersOf(context, chainId, logsOf(items)),
    context.labels(
      chainId,
      rows.flatMap((row) => [row.from_address, row.to_address]),
    ),
    ratesByTime(
      context.prices,
      chainId,
      currency,
      rows.map(({ timestamp }) => ({ asset: nativeTokenAddress, time: timestamp })),
    ),
    withSafe ? safeDetailsOf(context, chainId, rows) : () => null,
  ]);
  const decodeLog = context.decoderOf(chainId);
  const details = { dex_details: dexDetails, nft_sale_details: saleDetails, lending_details: lendingDetails };
  const viewed: Transaction[] = [];
  await forEachInTurns(items, async ({ transaction: row, logs }) => {
    const fields = viewTransactionFields(chain, row, labels, { rate: rateAt(nativeTokenAddress, row.timestamp), currency });
    const events = noLogs ? null : await mapInTurns(logs, (log) => viewLog(log, senders(log.address), decodeLog));
    viewed.push(
      Object.assign(fields, {
        explorers: transactionExplorers(chain, row.hash),
        ...details,
        log_events: events,
        safe_details: safeDetails(row),
      }),
    );
  });
  return viewed;
}

function* logsOf(items: readonly TransactionWithLogs[]): Generator<LogRow> {
  for (const { logs } of items) yield* logs;
}

/** Transactions with their logs, which are read unless `noLogs`. */
export async function withLogs(
  { ledger }: Pick<ResolverContext, "ledger">,
  chainId: number,
  rows: readonly TransactionRow[],
  noLogs: boolean,
): Promise<TransactionWithLogs[]> {
  const logs = noLogs || rows.length === 0 ? [] : await ledger.logsOfTransactions(chainId, rows);
  const byTransaction = await groupInTurns(logs, keyOf);
  return mapInTurns(rows, (transaction) => ({ transaction, logs: byTransaction.get(keyOf(transaction)) ?? [] }));
}

const keyOf = (position: TransactionPosition): string => `${position.block_number}:${position.transaction_index}`;
