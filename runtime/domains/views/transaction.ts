import type { Transaction } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import { groupBy } from "../../lib/group-by.ts";
import { isoTimestamp } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";
import type { TransactionPlace, TransactionRow } from "../ledger/transaction-queries.ts";
import { type Labels, labelOf } from "../names/labels.ts";
import { nativeMetadata, transactionExplorers } from "./chain.ts";
import { sendersOf, viewLog } from "./log.ts";

/** What a transaction's sender paid: gas at the effective price, the fee of the layer below, and that of blobs (EIP-4844). */
const feesPaid = (row: Pick<TransactionRow, "gas_used" | "gas_price" | "l1_fee" | "blob_fee">): bigint =>
  BigInt(row.gas_used) * BigInt(row.gas_price) + BigInt(row.l1_fee ?? 0) + BigInt(row.blob_fee ?? 0);

/** The fields that every response about a transaction shares. */
export const viewTransactionHead = (chain: ChainConfig, row: TransactionRow, labels: Labels) => ({
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
  value_quote: null,
  pretty_value_quote: null,
  gas_metadata: nativeMetadata(chain),
  gas_offered: Number(row.gas_limit),
  gas_spent: row.gas_used,
  gas_price: Number(row.gas_price),
  fees_paid: feesPaid(row).toString(),
  gas_quote: null,
  pretty_gas_quote: null,
  gas_quote_rate: null,
});

const placeOf = (place: TransactionPlace): string => `${place.block_number}:${place.transaction_index}`;

/** Rows of transactions as items, with their decoded logs unless `noLogs`. */
export async function viewTransactions(
  context: ResolverContext,
  chainId: number,
  rows: readonly TransactionRow[],
  { noLogs, dexDetails = null }: { readonly noLogs: boolean; readonly dexDetails?: Transaction["dex_details"] },
): Promise<Transaction[]> {
  const chain = context.chains.get(chainId);
  const logs = noLogs || rows.length === 0 ? [] : await context.ledger.logsOfTransactions(chainId, rows);
  const [senders, labels] = await Promise.all([
    sendersOf(context, chainId, logs),
    context.labels(
      chainId,
      rows.flatMap((row) => [row.from_address, row.to_address]),
    ),
  ]);
  const logsOf = groupBy(logs, placeOf);
  return rows.map((row) => ({
    ...viewTransactionHead(chain, row, labels),
    explorers: transactionExplorers(chain, row.hash),
    dex_details: dexDetails,
    nft_sale_details: null,
    lending_details: null,
    log_events: noLogs
      ? null
      : (logsOf.get(placeOf(row)) ?? []).map((log) => viewLog(log, senders(log.address), context.decoderOf(chainId))),
    safe_details: null,
  }));
}
