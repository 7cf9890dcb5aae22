/**
 * The columns that the `lending` SQL returns, with one row per lending event. Amounts are in smallest units; the server derives names, decimals,
 * prices and values from the addresses. `lp_underlying_address` is the token in which `exchange_rate` is expressed; `borrow_rate` is in percent per
 * year.
 */
export const lendingColumns = [
  "log_offset",
  "protocol_address",
  "version",
  "event",
  "lp_token_address",
  "lp_token_amount",
  "lp_underlying_address",
  "exchange_rate",
  "token_address_in",
  "token_amount_in",
  "token_address_out",
  "token_amount_out",
  "borrow_rate_mode",
  "borrow_rate",
  "on_behalf_of",
  "liquidator",
  "user",
] as const;
