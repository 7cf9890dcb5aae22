import { identifier, type Sql, sql } from "../../../database/sql.ts";
import { standards } from "../projection/standards.ts";

/** A balance's source: the sum of events, or a read of the contract or the node's state. */
export type BalanceSource = "events" | "node";

/** The source of native balances, by the native accounting of the index. */
export const sourceOfNative = (accounting: string | null): BalanceSource => (accounting === "state" ? "node" : "events");

/** The join that `sourceOf` needs, for rows with a token and a standard of chain $1. The table is small: one row per node-sourced token. */
export const joinSource = (alias: string): Sql =>
  sql`LEFT JOIN node_sourced_tokens sourced
    ON sourced.chain_id = $1 AND sourced.token = ${identifier(`${alias}.token`)} AND sourced.standard = ${identifier(`${alias}.standard`)}`;

/** The balance source of joined rows; for native balances it follows from the native accounting of chain $1. */
export const sourceOf = (alias: string): Sql =>
  sql`CASE WHEN ${identifier(`${alias}.standard`)} = ${standards.native}
      THEN (SELECT CASE native_accounting WHEN 'state' THEN 'node' ELSE 'events' END FROM chains WHERE chain_id = $1)
    WHEN sourced.token IS NULL THEN 'events' ELSE 'node' END`;
