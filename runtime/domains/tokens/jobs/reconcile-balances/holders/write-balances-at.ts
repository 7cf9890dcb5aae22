import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../../database/database.ts";
import { identifier, type Sql, sql } from "../../../../../database/sql.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { pivotOf } from "../../../projection/periods.ts";
import { standards } from "../../../projection/standards.ts";
import { updateHolderCounts } from "./holder-counts.ts";
import { writeReadings } from "./readings.ts";

/** The balance that a contract returned for an owner. */
export interface OwnerBalance {
  readonly owner: Address;
  readonly balance: bigint;
}

/** The stored balances of an owner around a block. */
interface Segment {
  readonly position: number;
  readonly since_block: number | null;
  readonly balance: string | null;
  readonly from_block: number | null;
  readonly to_block: number | null;
  readonly period_balance: string | null;
  /** The first later block with a stored balance. */
  readonly next_block: number | null;
}

const matchesOwner = (alias: string): Sql => {
  const row = identifier(alias);
  return sql`${row}.chain_id = $1 AND ${row}.owner = k.owner AND ${row}.token = $2 AND ${row}.standard = ${standards.erc20}`;
};

const segmentsSql = sql`SELECT k.position, b.since_block, b.balance, p.from_block, p.to_block, p.balance AS period_balance,
     coalesce(n.from_block, b.since_block) AS next_block
   FROM unnest($4::bytea[]) WITH ORDINALITY AS k(owner, position)
   LEFT JOIN balances b ON ${matchesOwner("b")}
   LEFT JOIN LATERAL (SELECT * FROM balance_periods p WHERE ${matchesOwner("p")} AND p.from_block <= $3 ORDER BY p.from_block DESC LIMIT 1) p ON true
   LEFT JOIN LATERAL (SELECT * FROM balance_periods n WHERE ${matchesOwner("n")} AND n.from_block > $3 ORDER BY n.from_block LIMIT 1) n ON true`;

/**
 * Writes balances of a node-sourced ERC-20 token that changed at a block without an event: the previous balance ends there, and the reading holds up to the
 * next known balance. Served by the primary keys.
 */
export const writeBalancesAt = async (
  client: DatabaseClient,
  chainId: number,
  token: Address,
  block: number,
  head: number,
  read: readonly OwnerBalance[],
): Promise<void> => {
  const segments = await client.query<Segment>(segmentsSql, [chainId, bytes(token), block, read.map(({ owner }) => bytes(owner))]);
  let changesHolders = false;
  for (const segment of segments) {
    const reading = read[segment.position - 1];
    if (reading === undefined) continue;
    const before = await writeBalanceAt(client, chainId, token, block, reading, segment);
    changesHolders ||= before !== null && before > 0n !== reading.balance > 0n;
  }
  if (changesHolders) await updateHolderCounts(client, chainId, [{ token, standard: standards.erc20, since: block }], head);
};

const matchesPeriod = sql`chain_id = $1 AND owner = $2 AND token = $3 AND standard = ${standards.erc20} AND from_block = $4`;
const setPeriodBalance = sql`UPDATE balance_periods SET balance = $5 WHERE ${matchesPeriod}`;
const setPeriodEnd = sql`UPDATE balance_periods SET to_block = $5, pivot_block = $6 WHERE ${matchesPeriod}`;
const insertPeriodSql = sql`INSERT INTO balance_periods (chain_id, owner, token, standard, from_block, to_block, pivot_block, balance)
   VALUES ($1, $2, $3, ${standards.erc20}, $4, $5, $6, $7)`;
const insertBalanceSql = sql`INSERT INTO balances (chain_id, owner, token, standard, since_block, balance)
   VALUES ($1, $2, $3, ${standards.erc20}, $4, $5)`;

/** Writes one balance. Returns the replaced balance; null if there was none. */
const writeBalanceAt = async (
  client: DatabaseClient,
  chainId: number,
  token: Address,
  block: number,
  { owner, balance }: OwnerBalance,
  { since_block, balance: current, from_block, to_block, period_balance, next_block }: Segment,
): Promise<bigint | null> => {
  const key = [chainId, bytes(owner), bytes(token)];
  const insertPeriod = (from: number, to: number) =>
    client.query(insertPeriodSql, [...key, from, to, pivotOf(from, to), balance.toString()]);
  if (since_block !== null && since_block <= block) {
    if (current === null || BigInt(current) === balance) return null;
    const reading = { key: { owner, token, standard: standards.erc20, tokenId: null }, since: since_block, readAt: block, balance };
    await writeReadings(client, chainId, [reading]);
    return BigInt(current);
  }
  if (from_block !== null && to_block !== null && to_block >= block) {
    if (period_balance === null || BigInt(period_balance) === balance) return null;
    if (from_block === block) await client.query(setPeriodBalance, [...key, block, balance.toString()]);
    else {
      await client.query(setPeriodEnd, [...key, from_block, block - 1, pivotOf(from_block, block - 1)]);
      await insertPeriod(block, to_block);
    }
    return BigInt(period_balance);
  }
  // According to the events, the owner held nothing at this block.
  if (balance === 0n) return null;
  if (next_block !== null) await insertPeriod(block, next_block - 1);
  else await client.query(insertBalanceSql, [...key, block, balance.toString()]);
  return 0n;
};
