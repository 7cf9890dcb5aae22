import { bytes } from "../../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../../database/database.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { standards } from "../../../projection/standards.ts";

/** What the zero address has of an ERC-20 token is read from the contract, and counted where the number is served (tokenTotalsAt). */
const isCounted = (alias: string) => `(${alias}.owner <> '\\x${zeroAddress.slice(2)}' OR ${alias}.standard <> ${standards.erc20})`;

export interface CountedToken {
  readonly token: Address;
  readonly standard: number;
}

/**
 * Counts the holders of tokens anew, at each block that changed their number, out of rows and periods: as the fold would have, had it known the balances.
 * What was before the index counts for nobody, as there, and neither does the zero address in ERC-20 tokens, which tokenTotalsAt adds; of a token that the node has the word on, a block with an unknown balance has no number.
 * Served by balances_rank and balance_periods_rank, balances_unknown and balance_periods_unknown.
 */
export const recountHolders = async (client: DatabaseClient, chainId: number, tokens: readonly CountedToken[]): Promise<void> => {
  const distinct = [...new Map(tokens.filter(({ standard }) => standard > 0).map((one) => [`${one.token}${one.standard}`, one])).values()];
  if (distinct.length === 0) return;
  const parameters = [chainId, distinct.map(({ token }) => bytes(token)), distinct.map(({ standard }) => standard)];
  const given = "unnest($2::bytea[], $3::int2[]) AS k(token, standard)";
  await client.query(
    `DELETE FROM holder_counts c USING ${given} WHERE c.chain_id = $1 AND c.token = k.token AND c.standard = k.standard`,
    parameters,
  );
  const same = (alias: string) => `${alias}.chain_id = $1 AND ${alias}.token = k.token AND ${alias}.standard = k.standard`;
  const held = (alias: string) => `${same(alias)} AND ${alias}.balance > 0 AND ${alias}.standard > 0 AND ${isCounted(alias)}`;
  const unknown = (alias: string) => `${same(alias)} AND ${alias}.balance IS NULL AND ${alias}.net_change IS NULL AND ${isCounted(alias)}`;
  await client.query(
    insertCounts(
      `SELECT k.token, k.standard, 0 AS since, c.* FROM ${given}
       LEFT JOIN node_sourced_tokens n ON ${same("n")}
       CROSS JOIN LATERAL (
         SELECT since_block AS block_number, 1 AS holders, 0 AS unknown FROM balances b WHERE ${held("b")}
         UNION ALL
         SELECT e.block_number, e.change, 0 FROM balance_periods p CROSS JOIN LATERAL ${ends} WHERE ${held("p")} AND ${isIndexed}
         UNION ALL
         SELECT since_block, 0, 1 FROM balances b WHERE n.token IS NOT NULL AND ${unknown("b")}
         UNION ALL
         SELECT e.block_number, 0, e.change FROM balance_periods p CROSS JOIN LATERAL ${ends}
         WHERE n.token IS NOT NULL AND ${unknown("p")} AND ${isIndexed}) c`,
    ),
    parameters,
  );
};

/** A period as two changes. */
const ends = "(VALUES (p.from_block, 1), (p.to_block + 1, -1)) e(block_number, change)";
const isIndexed = "p.from_block >= (SELECT indexed_from FROM chains WHERE chain_id = $1)";

/** Rows of counts out of changes, each `(token, standard, since, block_number, holders, unknown)`, of the blocks from `since` on. */
const insertCounts = (changes: string): string =>
  `INSERT INTO holder_counts (chain_id, token, standard, block_number, holders)
   SELECT $1, token, standard, block_number, holders FROM (
     SELECT *, lag(holders, 1, 0::int8) OVER (PARTITION BY token, standard ORDER BY block_number) AS before FROM (
       SELECT token, standard, since, block_number, CASE WHEN sum(unknown) OVER upwards = 0 THEN (sum(holders) OVER upwards)::int8 END AS holders
       FROM (
         SELECT token, standard, since, block_number, sum(holders) AS holders, sum(unknown) AS unknown FROM (${changes}) changes
         GROUP BY token, standard, since, block_number) sums
       WINDOW upwards AS (PARTITION BY token, standard ORDER BY block_number)) counted) compared
   WHERE holders IS DISTINCT FROM before AND block_number >= since`;

/** A token, and the first block whose number of holders may have become another one. */
export interface ChangedCount extends CountedToken {
  readonly since: number;
}

/** Further back, what changed since is not found faster than all there is. */
const recentBlocks = 1_000;

/**
 * The same of tokens that the node has the word on, where only what holds from some block on was read. Where the number before that block is known, it is
 * counted on from there: so a token of many holders costs what was touched. Where it is not, it stays unknown as long as a balance is, and is counted anew then.
 * Served by the primary keys, balances_unknown, and balances_roll_back for what was touched.
 */
export const updateHolderCounts = async (
  client: DatabaseClient,
  chainId: number,
  changed: readonly ChangedCount[],
  head: number,
): Promise<void> => {
  const first = new Map<string, ChangedCount>();
  for (const one of changed) {
    const key = `${one.token}${one.standard}`;
    if (one.standard > 0 && one.since <= (first.get(key)?.since ?? one.since)) first.set(key, one);
  }
  const distinct = [...first.values()];
  if (distinct.length === 0) return;
  const same = (alias: string) => `${alias}.chain_id = $1 AND ${alias}.token = k.token AND ${alias}.standard = k.standard`;
  const columns = (some: readonly ChangedCount[]) => [
    chainId,
    some.map(({ token }) => bytes(token)),
    some.map(({ standard }) => standard),
    some.map(({ since }) => since),
  ];
  const given = "unnest($2::bytea[], $3::int2[], $4::int8[])";
  const stands = await client.query<{ holders: number | null; waits: boolean }>(
    `SELECT CASE WHEN c.found IS NULL THEN 0 ELSE c.holders END AS holders,
       EXISTS (SELECT FROM balances b WHERE ${same("b")} AND b.balance IS NULL AND b.net_change IS NULL AND ${isCounted("b")}) AS waits
     FROM ${given} WITH ORDINALITY AS k(token, standard, since, position) LEFT JOIN LATERAL (
       SELECT holders, 1 AS found FROM holder_counts c WHERE ${same("c")} AND c.block_number < k.since ORDER BY c.block_number DESC LIMIT 1) c ON true
     ORDER BY k.position`,
    columns(distinct),
  );
  await client.query(
    `DELETE FROM holder_counts c USING ${given} AS k(token, standard, since) WHERE ${same("c")} AND c.block_number >= k.since`,
    columns(distinct),
  );
  const judged = distinct.map((one, position) => ({ ...one, holders: stands[position]?.holders ?? null, waits: stands[position]?.waits }));
  const isOnward = ({ holders, since }: (typeof judged)[number]) => holders !== null && since > head - recentBlocks;
  const onward = judged.filter(isOnward);
  await recountHolders(
    client,
    chainId,
    judged.filter((one) => !isOnward(one) && (one.holders !== null || one.waits !== true)),
  );
  if (onward.length === 0) return;
  const own = `p.chain_id = $1 AND p.owner = b.owner AND p.token = b.token AND p.standard = b.standard`;
  await client.query(
    insertCounts(
      `SELECT k.token, k.standard, k.since, c.* FROM unnest($2::bytea[], $3::int2[], $4::int8[], $5::int8[]) AS k(token, standard, since, holders)
       CROSS JOIN LATERAL (
         SELECT k.since - 1 AS block_number, k.holders, 0 AS unknown
         UNION ALL
         SELECT c.block_number, c.change * coalesce((c.balance > 0)::int4, 0), c.change * (c.balance IS NULL)::int4
         FROM balances b CROSS JOIN LATERAL (
           SELECT b.since_block AS block_number, 1 AS change, b.balance
           UNION ALL
           SELECT e.block_number, e.change, p.balance FROM balance_periods p CROSS JOIN LATERAL ${ends}
           WHERE ${own} AND ${isIndexed} AND e.block_number >= k.since AND p.from_block >= coalesce(
             (SELECT p.from_block FROM balance_periods p WHERE ${own} AND p.from_block < k.since ORDER BY p.from_block DESC LIMIT 1), k.since)) c
         WHERE ${same("b")} AND b.since_block >= k.since AND ${isCounted("b")}) c`,
    ),
    [...columns(onward), onward.map(({ holders }) => holders)],
  );
};
