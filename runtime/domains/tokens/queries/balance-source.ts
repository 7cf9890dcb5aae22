import { standards } from "../projection/standards.ts";

/** Where a balance comes from: summed from what moved, or read from the contract or the state. */
export type BalanceSource = "events" | "node";

/** Where native balances come from, by the accounting that an index was begun with. */
export const sourceOfNative = (accounting: string | null): BalanceSource => (accounting === "state" ? "node" : "events");

/** The join that `sourceOf` needs, for rows with a token and a standard of chain $1. The table is small: one row a token whose events do not tell. */
export const joinSource = (rows: string): string =>
  `LEFT JOIN node_sourced_tokens sourced ON sourced.chain_id = $1 AND sourced.token = ${rows}.token AND sourced.standard = ${rows}.standard`;

/** The source of joined rows as SQL; native balances follow the accounting that the index of chain $1 was begun with. */
export const sourceOf = (rows: string): string =>
  `CASE WHEN ${rows}.standard = ${standards.native} THEN (SELECT CASE native_accounting WHEN 'state' THEN 'node' ELSE 'events' END FROM chains WHERE chain_id = $1) WHEN sourced.token IS NULL THEN 'events' ELSE 'node' END`;
