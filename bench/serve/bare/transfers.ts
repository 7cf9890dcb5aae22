import {
  addressFields,
  envelope,
  explorersOf,
  hex,
  number,
  plain,
  quoted,
  text,
  time,
  transactionColumns,
  transactionFields,
  wholeRate,
} from "./json.ts";
import { pageOf, pagination } from "./lists.ts";
import type { Route, Row } from "./route.ts";

/** The positions of the first column of the transaction and of the transfer. */
const transactionStart = 2;
const transferStart = transactionStart + transactionColumns;

function itemsOf(row: Row, wallet: string): string[] {
  const [from, fromName, to, toName, token, amount, fromBalance, toBalance, decimals, name, symbol, close] = row.slice(transferStart);
  const delta = quoted(amount, close);
  const item = (type: "IN" | "OUT", balance: string | null | undefined): string =>
    `{"block_signed_at":${time(row[transactionStart])},"tx_hash":${hex(row[transactionStart + 3])},"from_address":${hex(from)},"from_address_label":${text(fromName)},` +
    `"to_address":${hex(to)},"to_address_label":${text(toName)},"contract_decimals":${number(decimals)},"contract_name":${text(name)},` +
    `"contract_ticker_symbol":${text(symbol)},"contract_address":${hex(token)},"logo_url":null,"transfer_type":"${type}","delta":${plain(amount)},` +
    `"balance":${plain(balance)},"quote_rate":${wholeRate(close, decimals)},"delta_quote":${delta.quote},"pretty_delta_quote":${delta.pretty},` +
    `"balance_quote":${quoted(balance, close).quote},"method_calls":null,"explorers":${explorersOf(row[transactionStart + 3])},"is_spam":false,"is_poisoning":false}`;
  const address = `\\x${wallet.slice(2)}`;
  return [...(from === address ? [item("OUT", fromBalance)] : []), ...(to === address ? [item("IN", toBalance)] : [])];
}

function transactionsOf(rows: readonly Row[], wallet: string): string {
  const items: string[] = [];
  let position = 0;
  while (position < rows.length) {
    const row = rows[position] ?? [];
    const transfers: string[] = [];
    while (rows[position]?.[1] === row[1]) {
      transfers.push(...itemsOf(rows[position] ?? [], wallet));
      position += 1;
    }
    items.push(`{${transactionFields(row, transactionStart)},"transfers":[${transfers.join(",")}]}`);
  }
  return items.join(",");
}

/** Row 5: transfers_v2. */
export const transfers: Route = {
  statement: "transfers",
  values: (request) => {
    const { size, offset } = pageOf(request);
    return [1, `\\x${request.path[1]?.slice(2)}`, size, offset];
  },
  body: (rows, request) => {
    const { size, offset } = pageOf(request);
    const wallet = request.path[1] ?? "";
    const total = Number(rows[0]?.[0] ?? 0);
    const page = pagination(request, total, offset + size < total);
    return envelope(`{${addressFields(wallet, request.now)},"items":[${transactionsOf(rows, wallet)}],${page},"indexed_from":null}`);
  },
};
