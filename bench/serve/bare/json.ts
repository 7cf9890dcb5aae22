import type { Row } from "./route.ts";

/** The JSON text of a text column. */
export const text = (value: string | null | undefined): string => (value === null || value === undefined ? "null" : JSON.stringify(value));
/** The JSON text of a text column whose values need no escapes. */
export const plain = (value: string | null | undefined): string => (value === null || value === undefined ? "null" : `"${value}"`);
/** The JSON text of a numeric column as a number. */
export const number = (value: string | null | undefined): string =>
  value === null || value === undefined ? "null" : String(Number(value));
/** The JSON text of a bytea column. */
export const hex = (value: string | null | undefined): string => (value === null || value === undefined ? "null" : `"0x${value.slice(2)}"`);
/** The JSON text of a boolean column. */
export const flag = (value: string | null | undefined): string => (value === "t" ? "true" : value === "f" ? "false" : "null");
/** The JSON text of a time in Unix seconds. */
export const time = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? "null" : `"${new Date(Number(value) * 1000).toISOString().slice(0, 19)}Z"`;

/** The JSON text of the price of a whole token, computed from the price of the smallest unit. */
export const wholeRate = (close: string | null | undefined, decimals: string | number | null | undefined): string =>
  close === null || close === undefined || decimals === null || decimals === undefined ? "null" : String(Number(`${close}e${decimals}`));

/** The JSON text of a value in US dollars for display: truncated to two decimals, in millions from 1,000,000 and in billions from 1,000,000,000. */
export function pretty(value: string | null | undefined): string {
  if (value === null || value === undefined) return "null";
  const [whole = "0", fraction = ""] = value.split(".");
  const [power, suffix] = whole.length > 9 ? [9, "B"] : whole.length > 6 ? [6, "M"] : [0, ""];
  const units = power === 0 ? whole : whole.slice(0, -power);
  const decimals = (power === 0 ? fraction : whole.slice(-power)).padEnd(2, "0").slice(0, 2);
  // Most values are below 1,000 here.
  const grouped = units.length > 3 ? units.replace(/\B(?=(\d{3})+$)/g, ",") : units;
  return `"$${grouped}.${decimals}${suffix}"`;
}

const standardNames: Readonly<Record<string, string>> = { 1: "erc20", 2: "erc721", 3: "erc1155" };

/** The JSON text of a list of standards. */
export const standardsOf = (list: string | null | undefined): string =>
  list === null || list === undefined
    ? "null"
    : `[${list
        .slice(1, -1)
        .split(",")
        .map((standard) => `"${standardNames[standard]}"`)
        .join(",")}]`;

/** The fields that responses about the chain share. */
export const chainFields = (now: number): string => `"updated_at":${time(now)},"chain_id":1,"chain_name":"eth-mainnet"`;

/** The first fields of a response about an address. */
export const addressFields = (address: string, now: number): string => `"address":"${address}",${chainFields(now)},"quote_currency":"USD"`;

type Column = string | null | undefined;

/** The fields of a token's contract. */
export const contractFields = (address: Column, decimals: Column, name: Column, symbol: Column, standards: Column): string =>
  `"contract_decimals":${number(decimals)},"contract_name":${text(name)},"contract_ticker_symbol":${text(symbol)},"contract_address":${hex(address)},` +
  `"supports_erc":${standardsOf(standards)},"logo_url":null`;

/** A successful response. */
export const envelope = (data: string): string => `{"data":${data},"error":false,"error_message":null,"error_code":null}`;

/** The fields of a transaction whose columns start at a position, as in `transactions.sql` and `transfers.sql`. */
export function transactionFields(row: Row, at: number): string {
  const column = (offset: number) => row[at + offset];
  const close = column(16) ?? null;
  const [value, fees] = [quoted(column(11), close), quoted(column(15), close)];
  return (
    `"block_signed_at":${time(column(0))},"block_height":${column(1)},"block_hash":${hex(column(2))},"tx_hash":${hex(column(3))},` +
    `"tx_offset":${column(4)},"successful":${flag(column(5))},"miner_address":${hex(column(6))},"from_address":${hex(column(7))},` +
    `"from_address_label":${text(column(8))},"to_address":${hex(column(9))},"to_address_label":${text(column(10))},` +
    `"value":${plain(column(11))},"value_quote":${value.quote},"pretty_value_quote":${value.pretty},"gas_metadata":${etherMetadata},` +
    `"gas_offered":${number(column(12))},"gas_spent":${column(13)},"gas_price":${number(column(14))},"fees_paid":${plain(column(15))},` +
    `"gas_quote":${fees.quote},"pretty_gas_quote":${fees.pretty},"gas_quote_rate":${wholeRate(close, 18)}`
  );
}

/** The number of columns of `transactionFields`. */
export const transactionColumns = 17;

/** The first contract fields of the native token. */
export const etherFields = `"contract_decimals":18,"contract_name":"Ether","contract_ticker_symbol":"ETH","contract_address":"0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"`;
const etherMetadata = `{${etherFields},"supports_erc":null,"logo_url":null}`;

/** The links to a transaction in explorers. */
export const explorersOf = (hash: string | null | undefined): string =>
  `[{"label":"Etherscan","url":"https://etherscan.io/tx/0x${hash?.slice(2)}"}]`;

/** The JSON texts of an amount's value, as a number and for display. The product of amount and price is exact. */
export function quoted(
  amount: string | null | undefined,
  close: string | null | undefined,
): { readonly quote: string; readonly pretty: string } {
  if (amount === null || amount === undefined || close === null || close === undefined) return { quote: "null", pretty: "null" };
  const value = product(amount, close);
  return { quote: number(value), pretty: pretty(value) };
}

/** The exact product of a whole number and a decimal number. */
function product(amount: string, close: string): string {
  const [whole = "0", fraction = ""] = close.split(".");
  const digits = (BigInt(amount) * BigInt(whole + fraction)).toString();
  if (fraction.length === 0) return digits;
  const padded = digits.padStart(fraction.length + 1, "0");
  return `${padded.slice(0, -fraction.length)}.${padded.slice(-fraction.length)}`;
}
