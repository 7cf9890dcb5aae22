import type { GetLogsEvent, LogEvent } from "../../../generated/responses.gen.ts";
import type { LogRow } from "../../domains/ledger/queries/log-row.ts";
import { labelOf } from "../../domains/names/labels.ts";
import { ercNamesOf } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address, Hash } from "../../lib/hex.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { forEachInTurns } from "../../lib/turns.ts";
import { tokenLogo } from "../chains/view-chain.ts";
import type { DecodeLog, ResolverContext } from "../context.ts";

/** The contract that emitted a log. */
export interface LogSender {
  readonly metadata: TokenMetadata | undefined;
  readonly label: string | null;
  readonly logo: string | null;
  /** The factory, if the contract is a configured exchange's pool. */
  readonly factory: Address | null;
}

/** The indexed data of the contracts that emitted logs, by address. */
export async function sendersOf(
  context: ResolverContext,
  chainId: number,
  logs: Iterable<LogRow>,
): Promise<(address: Address) => LogSender> {
  const addresses = new Set<Address>();
  await forEachInTurns(logs, ({ address }) => void addresses.add(address));
  const chain = context.chains.get(chainId);
  const [metadata, labels, factories] = await Promise.all([
    context.tokens.metadata(chainId, addresses),
    context.labels(chainId, addresses),
    context.pools.factoriesAt(chainId, addresses, context.anchor ?? -1),
  ]);
  return (address) => ({
    metadata: metadata.get(address),
    label: labelOf(labels, address),
    logo: tokenLogo(chain, address),
    factory: factories.get(address) ?? null,
  });
}

/** A log as a list item. */
export function viewLog(log: LogRow, { metadata: sender, label, logo, factory }: LogSender, decodeLog: DecodeLog | null): LogEvent {
  const topics = [log.topic0, log.topic1, log.topic2, log.topic3].filter((topic): topic is Hash => topic !== null);
  return {
    block_signed_at: isoTimestamp(log.timestamp),
    block_height: log.block_number,
    tx_offset: log.transaction_index,
    log_offset: log.log_index,
    tx_hash: log.transaction_hash,
    raw_log_topics: topics,
    sender_contract_decimals: sender?.decimals ?? null,
    sender_name: sender?.name ?? null,
    sender_contract_ticker_symbol: sender?.symbol ?? null,
    sender_address: log.address,
    sender_address_label: label,
    sender_logo_url: logo,
    supports_erc: sender === undefined || sender.standards.length === 0 ? null : ercNamesOf(sender.standards),
    sender_factory_address: factory,
    raw_log_data: log.data,
    decoded: decodeLog === null ? null : decodeLog({ address: log.address, topics, data: log.data }),
  };
}

/** A log with the hash of its block. */
export const viewLogWithBlock = (log: LogRow, sender: LogSender, decodeLog: DecodeLog | null): GetLogsEvent => ({
  ...viewLog(log, sender, decodeLog),
  block_hash: log.block_hash,
});
