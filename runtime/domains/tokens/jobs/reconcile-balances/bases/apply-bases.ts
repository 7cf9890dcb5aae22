import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../../database/database.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../../../../../database/sql.ts";
import { baseReadKey } from "../../../../../indexer/projection.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import { type Address, type Hex, zeroAddress } from "../../../../../lib/hex.ts";
import { maxUint256 } from "../../../projection/balances.ts";
import { type BalanceKey, baseReadOf } from "../../../projection/base-reads.ts";
import { standards } from "../../../projection/standards.ts";
import { type BalanceTables, baseStatements } from "./base-statements.ts";

export const balanceTables: BalanceTables = { current: "balances", periods: "balance_periods", keyColumns: ["owner", "token", "standard"] };
export const nftBalanceTables: BalanceTables = {
  current: "nft_balances",
  periods: "nft_balance_periods",
  keyColumns: ["owner", "token", "standard", "token_id"],
};

/** The balance that the node returned for a key for which the index has only the net change. */
export interface BalanceReading {
  readonly key: BalanceKey;
  readonly balance: bigint;
}

/**
 * Balances without a base. ERC-20 balances of the zero address are excluded: its transfers are mints and burns, whose sum is not a balance. They are compared
 * with the contract by compare-supplies. Served by the indexes …_without_base.
 */
export const balancesWithoutBase = async (
  database: Queryable,
  chainId: number,
  { current, keyColumns }: BalanceTables,
  skipped: readonly Address[],
  limit: number,
): Promise<BalanceKey[]> => {
  const columns = columnList(keyColumns);
  const records = await database.query<{ owner: Address; token: Address; standard: number; token_id?: string }>(
    sql`SELECT ${columns} FROM ${identifier(current)}
     WHERE chain_id = $1 AND balance IS NULL AND net_change IS NOT NULL AND token <> ALL ($2)
       AND (owner <> $4 OR standard <> ${standards.erc20}) ORDER BY token, standard, owner LIMIT $3`,
    [chainId, skipped.map(bytes), limit, bytes(zeroAddress)],
  );
  return records.map(({ token_id, ...row }) => ({ ...row, tokenId: token_id === undefined ? null : BigInt(token_id) }));
};

/** The keys whose balances are now known, and the readings that contradict the net changes. */
export interface BaseResult {
  readonly resolved: readonly BalanceKey[];
  readonly inconsistent: readonly BalanceReading[];
}

/**
 * Sets base balances: the reading as of a block minus the net change up to that block. A key is left unchanged if its base, or any balance since, would be
 * outside the uint256 range: its balance does not follow from its events. Served by the primary keys, transfers_from and transfers_to.
 */
export const applyBases = async (
  client: DatabaseClient,
  chainId: number,
  tables: BalanceTables,
  head: IndexedBlock,
  readings: readonly BalanceReading[],
): Promise<BaseResult> => {
  const isFungible = tables === balanceTables;
  const statements = baseStatements(tables, isFungible);
  await client.query(statements.createReadings);
  await client.query(statements.insertReadings, [
    readings.map(({ key: { owner } }) => bytes(owner)),
    readings.map(({ key: { token } }) => bytes(token)),
    readings.map(({ key: { standard } }) => standard),
    readings.map(({ key: { tokenId } }) => tokenId?.toString() ?? null),
    readings.map(({ balance }) => balance.toString()),
  ]);
  // Without statistics, the planner may scan entire tables to join a few keys.
  await client.query("ANALYZE base_readings");
  await client.query(statements.computeBases, [chainId, head.number]);
  if (isFungible) {
    await client.query(statements.createMoves);
    await client.query(statements.insertMoves, [chainId]);
    await client.query("ANALYZE base_moves");
  }
  await client.query(statements.checkBases, [chainId, maxUint256.toString()]);
  const checked = await client.query<{ position: number; fits: boolean; base: string }>(
    "SELECT position, fits, base FROM base_readings WHERE base IS NOT NULL",
  );
  await client.query("DELETE FROM base_readings WHERE fits IS NOT TRUE");
  if (isFungible) for (const statement of statements.fillTransfers) await client.query(statement, [chainId]);
  for (const statement of statements.fillBalances) await client.query(statement, [chainId]);
  await client.query(statements.deleteEmptyPeriods, [chainId]);
  const resolved = checked.filter(({ fits }) => fits).map(({ position, base }) => ({ key: keyAt(readings, position), base: BigInt(base) }));
  await storeBaseReads(client, chainId, resolved);
  const inconsistent = checked.filter(({ fits }) => !fits).flatMap(({ position }) => readings[position - 1] ?? []);
  await client.query(statements.dropTables);
  return { resolved: resolved.map(({ key }) => key), inconsistent };
};

const keyAt = (readings: readonly BalanceReading[], position: number): BalanceKey => {
  const reading = readings[position - 1];
  if (reading === undefined) throw new RangeError(`No key at position ${position} of ${readings.length}.`);
  return reading.key;
};

/** Stores the bases as results of base reads, so that a rebuilt projection starts with them. */
const storeBaseReads = async (
  client: DatabaseClient,
  chainId: number,
  resolved: readonly { readonly key: BalanceKey; readonly base: bigint }[],
): Promise<void> => {
  const reads = resolved.flatMap(({ key, base }) => {
    const read = baseReadOf(key, 0);
    const value = encodeBase(key, base);
    return read === null || value === null ? [] : [{ key: baseReadKey(read), value }];
  });
  await client.query(
    `UPDATE base_reads r SET value = k.value, reverted = false FROM unnest($2::bytea[], $3::bytea[]) AS k(key, value)
     WHERE r.chain_id = $1 AND r.key = k.key AND r.value IS NULL AND NOT r.reverted`,
    [chainId, reads.map(({ key }) => bytes(key)), reads.map(({ value }) => bytes(value))],
  );
};

/** The data that the node would have returned for a base; null for an id that the owner did not have, because its actual owner is unknown. */
const encodeBase = ({ standard, tokenId, owner }: BalanceKey, base: bigint): Hex | null => {
  if (standard !== standards.erc721 || tokenId === null) return `0x${base.toString(16).padStart(64, "0")}`;
  return base === 1n ? `0x${owner.slice(2).padStart(64, "0")}` : null;
};

/** Marks a balance as unknown because its net changes contradict the node. */
export const markUnknown = async (
  client: DatabaseClient,
  chainId: number,
  { current, periods, keyColumns }: BalanceTables,
  { owner, token, standard, tokenId }: BalanceKey,
): Promise<void> => {
  const values = [bytes(owner), bytes(token), standard, ...(tokenId === null ? [] : [tokenId.toString()])];
  const matchesKey = joinSql(keyConditions.slice(0, keyColumns.length), sql` AND `);
  for (const table of [current, periods]) {
    await client.query(sql`UPDATE ${identifier(table)} SET net_change = NULL WHERE chain_id = $1 AND ${matchesKey}`, [chainId, ...values]);
  }
};

/** The conditions on the columns of `BalanceTables.keyColumns`, in their order. */
const keyConditions: readonly Sql[] = [sql`owner = $2`, sql`token = $3`, sql`standard = $4`, sql`token_id = $5`];
