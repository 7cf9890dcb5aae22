import { explorersOf, hex, number, standardsOf, text, time, transactionColumns, transactionFields } from "./json.ts";
import type { Row } from "./route.ts";

/** The positions of the first column of the transaction and of the log. */
const transactionStart = 2;
const logStart = transactionStart + transactionColumns;
/** The number of columns for a transaction with a log; additional columns are specific to a statement. */
export const itemColumns = logStart + 13;
const transferTopic = "\\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const parameter = (name: string, type: string, indexed: boolean, value: string): string =>
  `{"name":"${name}","type":"${type}","indexed":${indexed},"decoded":true,"value":"${value}"}`;

/** A decoded ERC-20 transfer, the only event of the generated chain. */
const decodedTransfer = (from: string, to: string, data: string): string =>
  `{"name":"Transfer","signature":"Transfer(indexed address from, indexed address to, uint256 value)","params":[` +
  `${parameter("from", "address", true, `0x${from.slice(26)}`)},${parameter("to", "address", true, `0x${to.slice(26)}`)},` +
  `${parameter("value", "uint256", false, BigInt(`0x${data.slice(2)}`).toString())}]}`;

/** The columns of a log's transaction. */
export interface LogPosition {
  readonly timestamp: string | null | undefined;
  readonly height: string | null | undefined;
  readonly hash: string | null | undefined;
  readonly offset: string | null | undefined;
}

/** The JSON text of a log: its 13 columns, and the columns of its transaction. */
export function logOf(columns: Row, { timestamp, height, hash, offset }: LogPosition): string {
  const [index, address, topic0, topic1, topic2, topic3, data, label, decimals, name, symbol, standards, factory] = columns;
  const topics = [topic0, topic1, topic2, topic3].filter((topic) => topic !== null && topic !== undefined);
  const isTransfer = topic0 === transferTopic && topics.length === 3 && data?.length === 66;
  return (
    `{"block_signed_at":${time(timestamp)},"block_height":${height},"tx_offset":${offset},"log_offset":${index},` +
    `"tx_hash":${hex(hash)},"raw_log_topics":[${topics.map(hex).join(",")}],"sender_contract_decimals":${number(decimals)},` +
    `"sender_name":${text(name)},"sender_contract_ticker_symbol":${text(symbol)},"sender_address":${hex(address)},"sender_address_label":${text(label)},` +
    `"sender_logo_url":null,"supports_erc":${standardsOf(standards)},"sender_factory_address":${hex(factory)},"raw_log_data":${hex(data)},` +
    `"decoded":${isTransfer ? decodedTransfer(topic1 ?? "", topic2 ?? "", data) : "null"}}`
  );
}

/** Builds items from rows with one log each, in transaction order; the second column identifies the transaction. */
export function transactionItems(rows: readonly Row[]): string {
  const items: string[] = [];
  let position = 0;
  while (position < rows.length) {
    const row = rows[position] ?? [];
    const transaction = {
      timestamp: row[transactionStart],
      height: row[transactionStart + 1],
      hash: row[transactionStart + 3],
      offset: row[transactionStart + 4],
    };
    const logs: string[] = [];
    while (rows[position] !== undefined && rows[position]?.[1] === row[1]) {
      if (row[logStart] !== null) logs.push(logOf((rows[position] ?? []).slice(logStart, itemColumns), transaction));
      position += 1;
    }
    items.push(
      `{${transactionFields(row, transactionStart)},"explorers":${explorersOf(row[transactionStart + 3])},"dex_details":null,"nft_sale_details":null,"lending_details":null,` +
        `"log_events":[${logs.join(",")}],"safe_details":null}`,
    );
  }
  return items.join(",");
}
