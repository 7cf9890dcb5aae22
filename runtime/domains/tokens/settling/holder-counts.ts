import { bytes } from "../../../database/codecs.ts";
import type { DatabaseClient } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";

export interface CountedToken {
  readonly token: Address;
  readonly standard: number;
}

/**
 * Counts the holders of tokens anew, at each block that changed their number, out of rows and periods: as the fold would have, had it known the balances.
 * What was before the index counts for nobody, as there; of a token that the node has the word on, a block with an unknown balance has no number. The
 * supply is null: these are tokens of which the index has not seen all mints, or whose events lie.
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
  const held = (alias: string) => `${same(alias)} AND ${alias}.balance > 0 AND ${alias}.standard > 0`;
  const unknown = (alias: string) => `${same(alias)} AND ${alias}.balance IS NULL AND ${alias}.net_change IS NULL`;
  await client.query(
    `INSERT INTO holder_counts (chain_id, token, standard, block_number, holders)
     SELECT $1, token, standard, block_number, holders FROM (
       SELECT *, lag(holders, 1, 0::int8) OVER (PARTITION BY token, standard ORDER BY block_number) AS before FROM (
         SELECT token, standard, block_number, CASE WHEN sum(unknown) OVER upwards = 0 THEN (sum(holders) OVER upwards)::int8 END AS holders
         FROM (
           SELECT token, standard, block_number, sum(holders) AS holders, sum(unknown) AS unknown FROM (
             SELECT k.token, k.standard, c.* FROM ${given}
             LEFT JOIN node_sourced_tokens n ON ${same("n")}
             CROSS JOIN LATERAL (
               SELECT since_block AS block_number, 1 AS holders, 0 AS unknown FROM balances b WHERE ${held("b")}
               UNION ALL
               SELECT e.block_number, e.change, 0 FROM balance_periods p CROSS JOIN LATERAL (VALUES (p.from_block, 1), (p.to_block + 1, -1)) e(block_number, change)
               WHERE ${held("p")} AND p.from_block >= (SELECT indexed_from FROM chains WHERE chain_id = $1)
               UNION ALL
               SELECT since_block, 0, 1 FROM balances b WHERE n.token IS NOT NULL AND ${unknown("b")}
               UNION ALL
               SELECT e.block_number, 0, e.change FROM balance_periods p CROSS JOIN LATERAL (VALUES (p.from_block, 1), (p.to_block + 1, -1)) e(block_number, change)
               WHERE n.token IS NOT NULL AND ${unknown("p")} AND p.from_block >= (SELECT indexed_from FROM chains WHERE chain_id = $1)) c) changes
           GROUP BY token, standard, block_number) sums
         WINDOW upwards AS (PARTITION BY token, standard ORDER BY block_number)) counted) compared
     WHERE holders IS DISTINCT FROM before`,
    parameters,
  );
};
