import type { lendingColumns } from "../../../declarations/lending-columns.ts";
import type { Address } from "../../../lib/hex.ts";
import type { OperationRow } from "./operation-queries.ts";

/** A lending event of a transaction. Amounts are in smallest units. */
export interface LendingEvent {
  readonly log_offset: number;
  readonly protocol_address: Address | null;
  readonly version: string | null;
  readonly event: string;
  readonly lp_token_address: Address | null;
  readonly lp_token_amount: string | null;
  /** The token that the exchange rate is in. */
  readonly lp_underlying_address: Address | null;
  /** Underlying tokens per deposit token, both in whole units. */
  readonly exchange_rate: string | null;
  readonly token_address_in: Address | null;
  readonly token_amount_in: string | null;
  readonly token_address_out: Address | null;
  readonly token_amount_out: string | null;
  readonly borrow_rate_mode: number | null;
  /** In percent per year. */
  readonly borrow_rate: string | null;
  readonly on_behalf_of: Address | null;
  readonly liquidator: Address | null;
  readonly user: Address | null;
}

type Column = (typeof lendingColumns)[number];

/** Parses a row of the `lending` SQL. @throws {TypeError} if a value is invalid for its column, or the event or log is missing. */
export function lendingEventOf(row: OperationRow): LendingEvent {
  const textOf = (column: Column, pattern: RegExp): string | null => {
    const value = row[column] ?? null;
    if (value === null) return null;
    const text = String(value);
    if (!pattern.test(text))
      throw new TypeError(
        `Invalid value ${JSON.stringify(text)} in column ${column} of a lending row: expected a match of ${pattern.source}.`,
      );
    return text;
  };
  const required = (column: Column, pattern: RegExp): string => {
    const text = textOf(column, pattern);
    if (text === null) throw new TypeError(`Column ${column} of a lending row is null.`);
    return text;
  };
  const addressOf = (column: Column): Address | null => textOf(column, /^0x[0-9a-f]{40}$/) as Address | null;
  const amountOf = (column: Column): string | null => textOf(column, /^\d+$/);
  const decimalOf = (column: Column): string | null => textOf(column, /^\d+(?:\.\d+)?$/);
  const mode = textOf("borrow_rate_mode", /^\d{1,9}$/);
  return {
    log_offset: Number(required("log_offset", /^\d{1,15}$/)),
    protocol_address: addressOf("protocol_address"),
    version: textOf("version", /./),
    event: required("event", /./),
    lp_token_address: addressOf("lp_token_address"),
    lp_token_amount: amountOf("lp_token_amount"),
    lp_underlying_address: addressOf("lp_underlying_address"),
    exchange_rate: decimalOf("exchange_rate"),
    token_address_in: addressOf("token_address_in"),
    token_amount_in: amountOf("token_amount_in"),
    token_address_out: addressOf("token_address_out"),
    token_amount_out: amountOf("token_amount_out"),
    borrow_rate_mode: mode === null ? null : Number(mode),
    borrow_rate: decimalOf("borrow_rate"),
    on_behalf_of: addressOf("on_behalf_of"),
    liquidator: addressOf("liquidator"),
    user: addressOf("user"),
  };
}
