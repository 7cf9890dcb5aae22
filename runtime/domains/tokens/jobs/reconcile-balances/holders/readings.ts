import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../../database/database.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../../../../lib/hex.ts";
import { pivotOf } from "../../../projection/periods.ts";
import type { BalanceKey } from "../../../projection/reads-base.ts";
import { standards } from "../../../projection/standards.ts";

/** A balance that the node has the word on, with the block from which on it was the one that is asked for or replaced. */
export interface UnreadBalance {
  readonly key: BalanceKey;
  readonly since: number;
}

/** What the node said of it after a block, its own or a later one. */
export interface NodeReading extends UnreadBalance {
  readonly balance: bigint;
  readonly readAt: number;
}

const nodeSourced = "SELECT token, standard FROM node_sourced_tokens WHERE chain_id = $1";
/** The native token as well, where its accounting is by state: the fold leaves null what the node could not tell with the block. */
const nativeByState = `SELECT decode('${nativeTokenAddress.slice(2)}', 'hex') AS token, ${standards.native}::int2 FROM chains WHERE chain_id = $1 AND native_accounting = 'state'`;

/** Where unknown balances stand, and whose. An unknown stretch of a native balance that has ended began unseen: one reading does not tell all of it. */
const unknown = {
  rows: { table: "balances", since: "since_block", whose: `${nodeSourced} UNION ALL ${nativeByState}` },
  periods: { table: "balance_periods", since: "from_block", whose: nodeSourced },
} as const;

/**
 * Balances that nobody was asked for yet, the newest first: a node forgets old state. Those of the zero address are for resolve-supplies.
 * Served by balances_unknown and balance_periods_unknown.
 */
export const unreadBalances = async (
  database: Queryable,
  chainId: number,
  which: keyof typeof unknown,
  deferred: readonly Address[],
  limit: number,
): Promise<UnreadBalance[]> => {
  const { table, since, whose } = unknown[which];
  const rows = await database.query<{ owner: Address; token: Address; standard: number; since: number }>(
    `SELECT b.owner, b.token, b.standard, b.${since} AS since FROM (${whose}) n
     JOIN ${table} b ON b.chain_id = $1 AND b.token = n.token AND b.standard = n.standard AND b.balance IS NULL AND b.net_change IS NULL
     WHERE n.token <> ALL ($2) AND (b.owner <> $4 OR b.standard = ${standards.native}) ORDER BY b.${since} DESC LIMIT $3`,
    [chainId, deferred.map(bytes), limit, bytes(zeroAddress)],
  );
  return rows.map((row) => ({ key: { owner: row.owner, token: row.token, standard: row.standard, tokenId: null }, since: row.since }));
};

/** The tokens of readings of which no period waits any more. Served by balance_periods_unknown. */
export const tokensWithoutUnreadPeriods = async (
  database: Queryable,
  chainId: number,
  readings: readonly NodeReading[],
): Promise<{ readonly token: Address; readonly standard: number }[]> => {
  const tokens = [...new Map(readings.map(({ key }) => [`${key.token}${key.standard}`, key])).values()];
  return database.query(
    `SELECT k.token, k.standard FROM unnest($2::bytea[], $3::int2[]) AS k(token, standard) WHERE NOT EXISTS (
       SELECT FROM balance_periods p WHERE p.chain_id = $1 AND p.token = k.token AND p.standard = k.standard AND p.balance IS NULL AND p.net_change IS NULL)`,
    [chainId, tokens.map(({ token }) => bytes(token)), tokens.map(({ standard }) => standard)],
  );
};

/**
 * Writes readings. One of the block that began the balance is that balance, whether it still holds or has ended meanwhile; a later one holds from its
 * own block on: what was before ends there, as it is; of a native balance, which changed unseen, it is known of its first block alone. A row that was touched
 * since it was read is left alone. Served by the primary keys.
 */
export const writeReadings = async (client: DatabaseClient, chainId: number, readings: readonly NodeReading[]): Promise<void> => {
  const exact = readings.filter(({ since, readAt }) => since === readAt);
  const later = readings.filter(({ since, readAt }) => since < readAt);
  const key = (alias: string) =>
    `${alias}.chain_id = $1 AND ${alias}.owner = k.owner AND ${alias}.token = k.token AND ${alias}.standard = k.standard`;
  const given = "unnest($2::bytea[], $3::bytea[], $4::int2[], $5::int8[], $6::int8[], $7::numeric[])";
  const columns = "k(owner, token, standard, since, read_at, balance)";
  const parameters = (some: readonly NodeReading[]) => [
    chainId,
    some.map(({ key: { owner } }) => bytes(owner)),
    some.map(({ key: { token } }) => bytes(token)),
    some.map(({ key: { standard } }) => standard),
    some.map(({ since }) => since),
    some.map(({ readAt }) => readAt),
    some.map(({ balance }) => balance.toString()),
  ];
  if (exact.length > 0) {
    for (const [table, from] of [
      ["balances", "since_block"],
      ["balance_periods", "from_block"],
    ] as const) {
      await client.query(
        `UPDATE ${table} b SET balance = k.balance FROM ${given} AS ${columns}
         WHERE ${key("b")} AND b.${from} = k.since AND (b.balance IS NULL OR $8) AND b.net_change IS NULL`,
        [...parameters(exact), table === "balances"],
      );
    }
  }
  if (later.length === 0) return;
  const ended = later.flatMap((one) => endedPeriodsOf(one));
  await client.query(
    `INSERT INTO balance_periods (chain_id, owner, token, standard, from_block, to_block, pivot_block, balance)
     SELECT $1, b.owner, b.token, b.standard, k.from_block, k.to_block, k.pivot, CASE WHEN k.is_known THEN b.balance END
     FROM unnest($2::bytea[], $3::bytea[], $4::int2[], $5::int8[], $6::int8[], $7::int8[], $8::int8[], $9::boolean[])
       AS k(owner, token, standard, since, from_block, to_block, pivot, is_known)
     JOIN balances b ON ${key("b")} AND b.since_block = k.since AND b.net_change IS NULL`,
    [
      ...parameters(ended.map(({ reading }) => reading)).slice(0, 5),
      ended.map(({ from }) => from),
      ended.map(({ to }) => to),
      ended.map(({ from, to }) => pivotOf(from, to)),
      ended.map(({ isKnown }) => isKnown),
    ],
  );
  await client.query(
    `UPDATE balances b SET since_block = k.read_at, balance = k.balance FROM ${given} AS ${columns}
     WHERE ${key("b")} AND b.since_block = k.since AND b.net_change IS NULL`,
    parameters(later),
  );
};

/** What a later reading ends: with the balance that stood, or, after the first block of a native one, unknown. */
const endedPeriodsOf = (reading: NodeReading) => {
  const { key, since } = reading;
  const last = reading.readAt - 1;
  if (key.standard !== standards.native || since === last) return [{ reading, from: since, to: last, isKnown: true }];
  return [
    { reading, from: since, to: since, isKnown: true },
    { reading, from: since + 1, to: last, isKnown: false },
  ];
};
