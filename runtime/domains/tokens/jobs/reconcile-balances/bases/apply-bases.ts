import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../../database/database.ts";
import { baseReadKey } from "../../../../../indexer/projection.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import { type Address, type Hex, zeroAddress } from "../../../../../lib/hex.ts";
import { largestWord } from "../../../projection/balances.ts";
import { type BalanceKey, baseReadOf } from "../../../projection/reads-base.ts";
import { standards } from "../../../projection/standards.ts";

/** A table of balances with its periods, and what tells its rows apart. */
export interface BalanceTables {
  readonly rows: "balances" | "nft_balances";
  readonly periods: "balance_periods" | "nft_balance_periods";
  readonly key: readonly string[];
}

export const balanceTables: BalanceTables = { rows: "balances", periods: "balance_periods", key: ["owner", "token", "standard"] };
export const nftBalanceTables: BalanceTables = {
  rows: "nft_balances",
  periods: "nft_balance_periods",
  key: ["owner", "token", "standard", "token_id"],
};

/** What the node said of a balance of which the index knows only what moved. */
export interface BalanceReading {
  readonly key: BalanceKey;
  readonly balance: bigint;
}

/**
 * Balances that wait for what was before the index. Not those of the zero address in ERC-20 tokens: its transfers are mints and burns, which do not add up
 * to what it has; that is compared with the contract (compare-supplies). Served by the indexes …_without_base.
 */
export const balancesWithoutBase = async (
  database: Queryable,
  chainId: number,
  { rows, key }: BalanceTables,
  deferred: readonly Address[],
  limit: number,
): Promise<BalanceKey[]> => {
  const hasId = key.includes("token_id");
  const found = await database.query<{ owner: Address; token: Address; standard: number; token_id: string | null }>(
    `SELECT owner, token, standard, ${hasId ? "token_id" : "NULL AS token_id"} FROM ${rows}
     WHERE chain_id = $1 AND balance IS NULL AND net_change IS NOT NULL AND token <> ALL ($2)
       AND (owner <> $4 OR standard <> ${standards.erc20}) ORDER BY token, standard, owner LIMIT $3`,
    [chainId, deferred.map(bytes), limit, bytes(zeroAddress)],
  );
  return found.map(({ token_id, ...row }) => ({ ...row, tokenId: token_id === null ? null : BigInt(token_id) }));
};

/** What came of it: keys that are known now, and keys that what the node said does not fit to. */
export interface BaseResult {
  readonly resolved: readonly BalanceKey[];
  readonly inconsistent: readonly BalanceReading[];
}

/**
 * Gives balances their base: what the node said after a block, less what had moved by then. A key whose base, or any balance since, would be below zero or
 * above a word does not follow its events, and is left as it is. Everything is found by key: the primary keys, and transfers_from and transfers_to.
 */
export const applyBases = async (
  client: DatabaseClient,
  chainId: number,
  tables: BalanceTables,
  head: IndexedBlock,
  told: readonly BalanceReading[],
): Promise<BaseResult> => {
  const { rows, periods, key } = tables;
  const same = (alias: string) => `${alias}.chain_id = $1 AND ${key.map((column) => `${alias}.${column} = k.${column}`).join(" AND ")}`;
  await client.query(
    `CREATE TEMP TABLE settling (position int4, owner bytea, token bytea, standard int2, token_id numeric, told numeric, base numeric, fits boolean) ON COMMIT DROP`,
  );
  await client.query(
    `INSERT INTO settling SELECT position, owner, token, standard, token_id, told FROM
     unnest($1::bytea[], $2::bytea[], $3::int2[], $4::numeric[], $5::numeric[]) WITH ORDINALITY k(owner, token, standard, token_id, told, position)`,
    [
      told.map(({ key: { owner } }) => bytes(owner)),
      told.map(({ key: { token } }) => bytes(token)),
      told.map(({ key: { standard } }) => standard),
      told.map(({ key: { tokenId } }) => tokenId?.toString() ?? null),
      told.map(({ balance }) => balance.toString()),
    ],
  );
  // Without statistics a handful of keys would be joined by reading whole tables.
  await client.query("ANALYZE settling");
  await client.query(
    `UPDATE settling k SET base = k.told - CASE WHEN b.since_block <= $2 THEN b.net_change ELSE (
       SELECT net_change FROM ${periods} p WHERE ${same("p")} AND p.from_block <= $2 ORDER BY p.from_block DESC LIMIT 1) END
     FROM ${rows} b WHERE ${same("b")} AND b.balance IS NULL AND b.net_change IS NOT NULL`,
    [chainId, head.number],
  );
  if (tables === balanceTables) await sumMoves(client, chainId);
  const moves = tables === balanceTables ? "settling_moves" : "(SELECT NULL::bytea AS owner, NULL::bytea AS token, 0 AS net LIMIT 0)";
  await client.query(
    `UPDATE settling k SET fits = k.base + least(0, b.net_change, p.lowest, m.lowest) >= 0
       AND k.base + greatest(b.net_change, p.highest, m.highest) <= CASE WHEN k.standard = ${standards.erc721} AND k.token_id IS NOT NULL THEN 1 ELSE $2::numeric END
     FROM settling s JOIN ${rows} b ON ${same("b").replaceAll("k.", "s.")}
     CROSS JOIN LATERAL (SELECT min(net_change) AS lowest, max(net_change) AS highest FROM ${periods} p WHERE ${same("p").replaceAll("k.", "s.")}) p
     LEFT JOIN (SELECT owner, token, min(net) AS lowest, max(net) AS highest FROM ${moves} m GROUP BY owner, token) m
       ON s.standard = ${standards.erc20} AND m.owner = s.owner AND m.token = s.token
     WHERE k.position = s.position AND s.base IS NOT NULL`,
    [chainId, largestWord.toString()],
  );
  const judged = await client.query<{ position: number; fits: boolean; base: string }>(
    "SELECT position, fits, base FROM settling WHERE base IS NOT NULL",
  );
  await client.query("DELETE FROM settling WHERE fits IS NOT TRUE");
  if (tables === balanceTables) await fillTransfers(client, chainId);
  for (const table of [rows, periods]) {
    await client.query(
      `UPDATE ${table} t SET balance = t.net_change + k.base, net_change = NULL FROM settling k WHERE ${same("t")} AND t.net_change IS NOT NULL`,
      [chainId],
    );
  }
  // As the fold does: a key that began with nothing needs no period to say so.
  await client.query(
    `DELETE FROM ${periods} p USING settling k WHERE ${same("p")} AND k.base = 0
       AND p.from_block <= (SELECT greatest(indexed_from - 1, 0) FROM chains WHERE chain_id = $1)`,
    [chainId],
  );
  const known = judged.filter(({ fits }) => fits).map(({ position, base }) => ({ key: keyAt(told, position), base: BigInt(base) }));
  await keepReadings(client, chainId, known);
  const misfits = judged.filter(({ fits }) => !fits).flatMap(({ position }) => told[position - 1] ?? []);
  await client.query(`DROP TABLE settling${tables === balanceTables ? ", settling_moves" : ""}`);
  return { resolved: known.map(({ key: one }) => one), inconsistent: misfits };
};

const keyAt = (told: readonly BalanceReading[], position: number): BalanceKey => {
  const one = told[position - 1];
  if (one === undefined) throw new RangeError(`There is no key ${position}.`);
  return one.key;
};

/**
 * What had moved in and out of each ERC-20 balance right after each of its transfers, the sender's side first. OFFSET 0 keeps each key's transfers a range
 * of transfers_from and one of transfers_to, whatever the planner expects of an average address.
 */
const sumMoves = async (client: DatabaseClient, chainId: number): Promise<void> => {
  await client.query(
    "CREATE TEMP TABLE settling_moves (owner bytea, token bytea, block_number int8, ordinal int4, received boolean, net numeric) ON COMMIT DROP",
  );
  const side = (column: string, received: boolean, amount: string) =>
    `SELECT block_number, ordinal, ${received} AS received, ${amount} AS amount FROM transfers t
     WHERE t.chain_id = $1 AND t.${column} = k.owner AND t.token = k.token AND t.standard = ${standards.erc20} OFFSET 0`;
  await client.query(
    `INSERT INTO settling_moves
     SELECT k.owner, k.token, m.block_number, m.ordinal, m.received,
       sum(m.amount) OVER (PARTITION BY k.owner, k.token ORDER BY m.block_number, m.ordinal, m.received)
     FROM settling k CROSS JOIN LATERAL ((${side("from_address", false, "-amount")}) UNION ALL (${side("to_address", true, "amount")})) m
     WHERE k.standard = ${standards.erc20} AND k.base IS NOT NULL`,
    [chainId],
  );
  await client.query("ANALYZE settling_moves");
};

/** The balances right after each ERC-20 transfer; of one to oneself both sides have the receiver's. */
const fillTransfers = async (client: DatabaseClient, chainId: number): Promise<void> => {
  const moved = `FROM settling_moves m JOIN settling k ON k.owner = m.owner AND k.token = m.token AND k.standard = ${standards.erc20}
     WHERE t.chain_id = $1 AND t.block_number = m.block_number AND t.ordinal = m.ordinal`;
  await client.query(
    `UPDATE transfers t SET from_balance = k.base + m.net ${moved} AND NOT m.received AND t.from_address <> t.to_address`,
    [chainId],
  );
  await client.query(
    `UPDATE transfers t SET to_balance = k.base + m.net,
       from_balance = CASE WHEN t.from_address = t.to_address THEN k.base + m.net ELSE t.from_balance END ${moved} AND m.received`,
    [chainId],
  );
};

/** Keeps the bases beside what the node was asked before, so that a projection that is built again begins with them. */
const keepReadings = async (
  client: DatabaseClient,
  chainId: number,
  known: readonly { readonly key: BalanceKey; readonly base: bigint }[],
): Promise<void> => {
  const readings = known.flatMap(({ key, base }) => {
    const read = baseReadOf(key, 0);
    const value = wordOf(key, base);
    return read === null || value === null ? [] : [{ key: baseReadKey(read), value }];
  });
  await client.query(
    `UPDATE base_reads r SET value = k.value, reverted = false FROM unnest($2::bytea[], $3::bytea[]) AS k(key, value)
     WHERE r.chain_id = $1 AND r.key = k.key AND r.value IS NULL AND NOT r.reverted`,
    [chainId, readings.map(({ key }) => bytes(key)), readings.map(({ value }) => bytes(value))],
  );
};

/** The answer that the node would have given; null where a balance does not tell it: that somebody was not an id's owner does not say who was. */
const wordOf = ({ standard, tokenId, owner }: BalanceKey, base: bigint): Hex | null => {
  if (standard !== standards.erc721 || tokenId === null) return `0x${base.toString(16).padStart(64, "0")}`;
  return base === 1n ? `0x${owner.slice(2).padStart(64, "0")}` : null;
};

/** Gives a key up whose movements do not lead to what the node says: its balance stays unknown. */
export const markUnknown = async (
  client: DatabaseClient,
  chainId: number,
  { rows, periods, key }: BalanceTables,
  one: BalanceKey,
): Promise<void> => {
  const values = [bytes(one.owner), bytes(one.token), one.standard, ...(one.tokenId === null ? [] : [one.tokenId.toString()])];
  const where = key.map((column, position) => `${column} = $${position + 2}`).join(" AND ");
  for (const table of [rows, periods]) {
    await client.query(`UPDATE ${table} SET net_change = NULL WHERE chain_id = $1 AND ${where}`, [chainId, ...values]);
  }
};
