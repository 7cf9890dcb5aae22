import { chainFields, envelope, explorersOf, hex, number, standardsOf, text, time, transactionColumns, transactionFields } from "./json.ts";
import type { Route, Row } from "./route.ts";

const first = 2;
const own = first + transactionColumns;
const pageSize = 100;
const transferTopic = "\\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const parameter = (name: string, type: string, indexed: boolean, value: string): string =>
  `{"name":"${name}","type":"${type}","indexed":${indexed},"decoded":true,"value":"${value}"}`;

/** A decoded ERC-20 transfer, the only event of the generated chain. */
const decodedTransfer = (from: string, to: string, data: string): string =>
  `{"name":"Transfer","signature":"Transfer(indexed address from, indexed address to, uint256 value)","params":[` +
  `${parameter("from", "address", true, `0x${from.slice(26)}`)},${parameter("to", "address", true, `0x${to.slice(26)}`)},` +
  `${parameter("value", "uint256", false, BigInt(`0x${data.slice(2)}`).toString())}]}`;

/** The JSON text of a row's log. */
function logOf(row: Row): string {
  const [index, address, topic0, topic1, topic2, topic3, data, label, decimals, name, symbol, standards, factory] = row.slice(own);
  const topics = [topic0, topic1, topic2, topic3].filter((topic) => topic !== null && topic !== undefined);
  const isTransfer = topic0 === transferTopic && topics.length === 3 && data?.length === 66;
  return (
    `{"block_signed_at":${time(row[first])},"block_height":${row[first + 1]},"tx_offset":${row[first + 4]},"log_offset":${index},` +
    `"tx_hash":${hex(row[first + 3])},"raw_log_topics":[${topics.map(hex).join(",")}],"sender_contract_decimals":${number(decimals)},` +
    `"sender_name":${text(name)},"sender_contract_ticker_symbol":${text(symbol)},"sender_address":${hex(address)},"sender_address_label":${text(label)},` +
    `"sender_logo_url":null,"supports_erc":${standardsOf(standards)},"sender_factory_address":${hex(factory)},"raw_log_data":${hex(data)},` +
    `"decoded":${isTransfer ? decodedTransfer(topic1 ?? "", topic2 ?? "", data) : "null"}}`
  );
}

/** The items of rows with one log each, ordered by transaction. */
function transactionItems(rows: readonly Row[]): string {
  const items: string[] = [];
  let position = 0;
  while (position < rows.length) {
    const row = rows[position] ?? [];
    const logs: string[] = [];
    while (rows[position]?.[1] === row[1]) {
      if (row[own] !== null) logs.push(logOf(rows[position] ?? []));
      position += 1;
    }
    items.push(
      `{${transactionFields(row, first)},"explorers":${explorersOf(row[first + 3])},"dex_details":null,"nft_sale_details":null,"lending_details":null,` +
        `"log_events":[${logs.join(",")}],"safe_details":null}`,
    );
  }
  return items.join(",");
}

/** Row 26: transactions_v3/page. */
export const transactions: Route = {
  statement: "transactions",
  values: ({ path }) => [1, `\\x${path[1]?.slice(2)}`, pageSize, Number(path[4]) * pageSize],
  body: (rows, { path, now }) => {
    const [, wallet = "", , , page = "0"] = path;
    const newest = Math.max(0, Math.ceil(Number(rows[0]?.[0] ?? 0) / pageSize) - 1);
    const link = (number: number): string => `"http://bench.invalid/v1/eth-mainnet/address/${wallet}/transactions_v3/page/${number}/"`;
    const current = Number(page);
    const links = `{"prev":${current > 0 ? link(current - 1) : "null"},"next":${current < newest ? link(current + 1) : "null"}}`;
    return envelope(
      `{${chainFields(wallet, now)},"current_page":${current},"links":${links},"items":[${transactionItems(rows)}],"indexed_from":null}`,
    );
  },
};
