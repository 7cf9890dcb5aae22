import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../../database/database.ts";
import { identifier, type Sql, sql } from "../../../../../database/sql.ts";
import { erc20Transfer } from "../../../../../events/transfers.ts";
import { type Address, type Hex, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";
import { isUnread } from "../sql-conditions.ts";

/** A call to an ERC-20 token whose transaction has no Transfer of the token. Such calls may rebase, seize or grant balances without an event. */
export interface QuietCall {
  readonly token: Address;
  readonly block: number;
  /** Addresses among the call's arguments, whose balances it may have changed. */
  readonly owners: readonly Address[];
  readonly isNodeSourced: boolean;
}

/** Max addresses that are read from one call, and max bytes of its arguments that are searched for them. */
const maxOwners = 4;
const argumentBytes = 8 * 32;

const transferTopic = bytes(erc20Transfer.topic0);
const hasNoTransfer = sql`NOT EXISTS (SELECT FROM logs l WHERE l.chain_id = $1 AND l.address = t.to_address AND l.block_number = t.block_number
     AND l.transaction_index = t.transaction_index AND l.topic0 = $2)`;
const argumentsOfInput = sql`substring(t.input FROM 5 FOR ${argumentBytes})`;

interface CallRow {
  readonly token: Address;
  readonly block_number: number;
  readonly arguments: Hex;
  readonly sourced: boolean;
}

const callOf = (row: CallRow): QuietCall => ({
  token: row.token,
  block: row.block_number,
  owners: addressesIn(row.arguments),
  isNodeSourced: row.sourced,
});

const callsIn = (table: string, argumentBytesOf: Sql, condition: Sql): Sql =>
  sql`SELECT t.block_number, t.to_address AS token, ${argumentBytesOf} AS arguments, n.token IS NOT NULL AS sourced FROM ${identifier(table)} t
     JOIN token_standards s ON s.chain_id = $1 AND s.address = t.to_address AND s.standard = ${standards.erc20}
     LEFT JOIN node_sourced_tokens n ON n.chain_id = $1 AND n.token = t.to_address AND n.standard = ${standards.erc20}
     WHERE t.chain_id = $1 AND t.block_number > $3 AND ${condition} AND ${hasNoTransfer}`;
const quietCallsSql = sql`${callsIn("transactions", argumentsOfInput, sql`t.successful IS DISTINCT FROM false`)}
   UNION ALL ${callsIn("traces", sql`''::bytea`, sql`true`)} ORDER BY block_number DESC LIMIT $4`;

/**
 * Quiet calls after a block, newest first: transactions to a token, and stored internal calls to it. Served by the primary keys of transactions, traces,
 * token_standards and node_sourced_tokens, and by logs_address.
 */
export const quietCalls = async (database: Queryable, chainId: number, afterBlock: number, limit: number): Promise<QuietCall[]> => {
  const rows = await database.query<CallRow>(quietCallsSql, [chainId, transferTopic, afterBlock, limit]);
  return rows.map(callOf);
};

const pastQuietCallsSql = sql`SELECT t.block_number, t.to_address AS token, ${argumentsOfInput} AS arguments, true AS sourced
   FROM (SELECT block_number, transaction_index FROM address_transactions WHERE chain_id = $1 AND address = $3 ORDER BY ordinal DESC LIMIT $4) a
   JOIN transactions t ON t.chain_id = $1 AND t.block_number = a.block_number AND t.transaction_index = a.transaction_index
   WHERE t.to_address = $3 AND t.successful IS DISTINCT FROM false AND ${hasNoTransfer} ORDER BY t.block_number DESC`;

/** Quiet transactions among the last `limit` to a token, newest first. Served by the primary keys of address_transactions and transactions. */
export const pastQuietCalls = async (database: Queryable, chainId: number, token: Address, limit: number): Promise<QuietCall[]> => {
  const rows = await database.query<CallRow>(pastQuietCallsSql, [chainId, transferTopic, bytes(token), limit]);
  return rows.map(callOf);
};

/** Words of call data that may be addresses: twelve leading zero bytes, and not a small number. */
const addressesIn = (data: Hex): Address[] => {
  const words = data.slice(2).match(/.{64}/g) ?? [];
  const addresses = words.flatMap((word): Address[] => (/^0{24}(?!0{16})/.test(word) ? [`0x${word.slice(24)}`] : []));
  return [...new Set(addresses)].slice(0, maxOwners);
};

/** Node-sourced tokens whose past has not been searched for quiet calls. Scans the chain's rows of node_sourced_tokens, which is small. */
export const unsearchedTokens = async (database: Queryable, chainId: number, limit: number): Promise<Address[]> => {
  const rows = await database.query<{ token: Address }>(
    `SELECT n.token FROM node_sourced_tokens n JOIN chains c USING (chain_id) WHERE n.chain_id = $1 AND n.standard = $3
       AND NOT EXISTS (SELECT FROM quiet_calls q WHERE q.chain_id = $1 AND q.token = n.token AND q.block_number = c.indexed_from) LIMIT $2`,
    [chainId, limit, standards.erc20],
  );
  return rows.map(({ token }) => token);
};

/** Queues node-sourced tokens' holders to be read as of the blocks with quiet calls. */
export const queueQuietCalls = async (client: DatabaseClient, chainId: number, calls: readonly QuietCall[]): Promise<void> => {
  const blocks = new Map<string, { token: Address; block: number; owners: Set<Address> }>();
  for (const { token, block, owners } of calls) {
    const key = `${token}${block}`;
    const entry = blocks.get(key) ?? { token, block, owners: new Set() };
    for (const owner of owners) if (entry.owners.size < 4 * maxOwners) entry.owners.add(owner);
    blocks.set(key, entry);
  }
  const rows = [...blocks.values()];
  await client.query(
    `INSERT INTO quiet_calls (chain_id, token, block_number, owners, is_read)
     SELECT $1, k.token, k.block, ARRAY(SELECT decode(one, 'hex') FROM unnest(string_to_array(nullif(k.owners, ''), ',')) one), false
     FROM unnest($2::bytea[], $3::int8[], $4::text[]) AS k(token, block, owners) ON CONFLICT DO NOTHING`,
    [
      chainId,
      rows.map(({ token }) => bytes(token)),
      rows.map(({ block }) => block),
      rows.map(({ owners }) => [...owners].map((owner) => owner.slice(2)).join(",")),
    ],
  );
  await dropOldestUnread(client, chainId, [...new Set(rows.map(({ token }) => token))]);
};

/** Records that a token's past has been searched, as a row at the first indexed block. */
export const markSearched = async (client: DatabaseClient, chainId: number, token: Address): Promise<void> => {
  await client.query(
    `INSERT INTO quiet_calls (chain_id, token, block_number, owners, is_read)
     SELECT $1, $2, indexed_from, '{}', true FROM chains WHERE chain_id = $1 ON CONFLICT DO NOTHING`,
    [chainId, bytes(token)],
  );
};

/** Max unread blocks per token. */
const maxUnread = 500;

/** A block as of which a token's holders are to be read. */
export interface UnreadCall {
  readonly token: Address;
  readonly block: number;
  readonly owners: readonly Address[];
}

/** Marks the oldest unread blocks beyond each token's maximum as read. Served by quiet_calls_unread. */
const dropOldestUnread = async (client: DatabaseClient, chainId: number, tokens: readonly Address[]): Promise<void> => {
  await client.query(
    `UPDATE quiet_calls q SET is_read = true FROM unnest($2::bytea[]) AS k(token)
     WHERE q.chain_id = $1 AND q.token = k.token AND NOT q.is_read AND q.block_number <=
       (SELECT u.block_number FROM quiet_calls u WHERE u.chain_id = $1 AND u.token = k.token AND NOT u.is_read
        ORDER BY u.block_number DESC OFFSET $3 LIMIT 1)`,
    [chainId, tokens.map(bytes), maxUnread],
  );
};

/** Tokens whose contracts returned no balances (read-unknown-balances); their quiet calls do not wait for those balances. */
export interface UnresponsiveTokens {
  readonly current: readonly Address[];
  readonly periods: readonly Address[];
}

const waitsFor = (table: string, unresponsive: Sql): Sql =>
  sql`(q.token <> ALL (${unresponsive}) AND EXISTS (SELECT FROM ${identifier(table)} b WHERE b.chain_id = $1 AND b.token = q.token
       AND b.standard = ${standards.erc20} AND ${isUnread("b")} AND b.owner <> $3))`;
const nextUnreadSql = sql`SELECT q.token, q.block_number AS block,
     (SELECT coalesce(string_agg(encode(one, 'hex'), ','), '') FROM unnest(q.owners) one) AS owners
   FROM quiet_calls q WHERE q.chain_id = $1 AND NOT q.is_read AND q.token > $2 AND q.token <> ALL ($4)
     AND NOT ${waitsFor("balances", sql`$5`)} AND NOT ($7 AND ${waitsFor("balance_periods", sql`$6`)})
   ORDER BY q.token, q.block_number DESC LIMIT 1`;

/**
 * The newest unread block of the next token after `after`. A token waits until its unread balances have been read, including past ones if `withPeriods`,
 * because a quiet call needs the previous balance. Served by quiet_calls_unread, balances_unknown and balance_periods_unknown.
 */
export const nextUnreadCall = async (
  database: Queryable,
  chainId: number,
  after: Address,
  withPeriods: boolean,
  skipped: readonly Address[],
  unresponsive: UnresponsiveTokens,
): Promise<UnreadCall | null> => {
  const [row] = await database.query<{ token: Address; block: number; owners: string }>(nextUnreadSql, [
    chainId,
    bytes(after),
    bytes(zeroAddress),
    skipped.map(bytes),
    unresponsive.current.map(bytes),
    unresponsive.periods.map(bytes),
    withPeriods,
  ]);
  if (row === undefined) return null;
  const owners = row.owners.split(",").filter((text) => text !== "");
  return { token: row.token, block: row.block, owners: owners.map((text): Address => `0x${text}`) };
};

/** Marks a block of a token as read. Served by the primary key. */
export const markRead = async (client: DatabaseClient, chainId: number, { token, block }: UnreadCall): Promise<void> => {
  await client.query("UPDATE quiet_calls SET is_read = true WHERE chain_id = $1 AND token = $2 AND block_number = $3", [
    chainId,
    bytes(token),
    block,
  ]);
};
