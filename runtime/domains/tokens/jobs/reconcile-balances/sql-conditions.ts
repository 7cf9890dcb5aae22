import { identifier, type Sql, sql } from "../../../../database/sql.ts";
import { standards } from "../../projection/standards.ts";

/** The zero address as a literal: a partial index is used only if its condition is in the text. */
export const zeroAddressLiteral = sql`'\\x0000000000000000000000000000000000000000'`;

/** Rows of chain $1 with a column `token` whose ERC-20 token is not node-sourced. */
export const isEventSourced = (alias: string): Sql =>
  sql`NOT EXISTS (SELECT 1 FROM node_sourced_tokens n WHERE n.chain_id = $1 AND n.token = ${identifier(alias)}.token AND n.standard = ${standards.erc20})`;

/** Balances without a value or net change, which have to be read from the node. */
export const isUnread = (alias: string): Sql => {
  const row = identifier(alias);
  return sql`${row}.balance IS NULL AND ${row}.net_change IS NULL`;
};

/** Balances that count as holders. The zero address's ERC-20 balances are read from the contract and counted at query time (tokenTotalsAt). */
export const isCounted = (alias: string): Sql => {
  const row = identifier(alias);
  return sql`(${row}.owner <> ${zeroAddressLiteral} OR ${row}.standard <> ${standards.erc20})`;
};
