import { bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import { columnList, identifier, joinSql, type Sql, sql } from "../../../../database/sql.ts";
import { type LatestTable, type Row, valueColumnsOf } from "../../../../indexer/projection.ts";
import type { BlockBoundTable } from "../../../../indexer/reorg/roll-back.ts";
import type { Address } from "../../../../lib/hex.ts";
import { projectionIdOf } from "../../relations.ts";
import type { DeclaredRead } from "./declared-reads.ts";

type StoredRead = Pick<DeclaredRead, "table" | "latestTable">;

/**
 * Updates a read's newest results after rows of its table have been written, in any block order. Served by the results' block index and by the
 * primary key.
 */
export const writeLatestResults = async (
  client: DatabaseClient,
  chainId: number,
  { table, latestTable }: StoredRead,
  written: readonly Row[],
): Promise<void> => {
  if (latestTable === null || written.length === 0) return;
  const columns = Object.keys(latestTable.columns);
  const changed = valueColumnsOf(latestTable).map((column) => sql`${identifier(column)} = excluded.${identifier(column)}`);
  await client.query(
    sql`INSERT INTO ${identifier(latestTable.name)} AS t (chain_id, ${columnList(columns)})
     SELECT DISTINCT ON (${columnList(latestTable.key, "r")}) r.chain_id, ${columnList(columns, "r")}
     FROM unnest($2::bytea[], $3::int8[]) AS w(contract, block_number)
     JOIN ${identifier(table.name)} r ON r.chain_id = $1 AND r.block_number = w.block_number AND r.contract = w.contract
     ORDER BY ${columnList(latestTable.key, "r")}, r.block_number DESC
     ON CONFLICT (chain_id, ${columnList(latestTable.key)}) DO UPDATE SET ${joinSql(changed)} WHERE t.block_number <= excluded.block_number`,
    [chainId, bytesArray(written.map(({ contract }) => contract as Address)), written.map(({ block_number }) => Number(block_number))],
  );
};

/** How a read's newest results are rolled back: rows above the ancestor are replaced by the newest results up to it, or deleted if there are none. */
export const latestResultTables = ({ protocol, table, latestTable }: DeclaredRead): BlockBoundTable[] =>
  latestTable === null
    ? []
    : [
        {
          name: latestTable.name,
          blockColumn: "block_number",
          projection: { id: projectionIdOf(protocol), isIsolated: true },
          beforeDelete: async (client, chainId, ancestor) => {
            await client.query(restore(table, latestTable), [chainId, ancestor]);
          },
        },
      ];

/** The statement that replaces newest results above the ancestor with the newest ones up to it. Served by the results' block index and primary key. */
const restore = (table: LatestTable, latest: LatestTable): Sql => {
  const isSameKey = (left: string, right: string): Sql =>
    joinSql(
      latest.key.map((column) => sql`${identifier(`${left}.${column}`)} = ${identifier(`${right}.${column}`)}`),
      sql` AND `,
    );
  const values = valueColumnsOf(latest).map((column) => sql`${identifier(column)} = ${identifier(`n.${column}`)}`);
  return sql`UPDATE ${identifier(latest.name)} t SET ${joinSql(values)}
     FROM ${identifier(latest.name)} k CROSS JOIN LATERAL (
       SELECT * FROM ${identifier(table.name)} r WHERE r.chain_id = $1 AND ${isSameKey("r", "k")} AND r.block_number <= $2
       ORDER BY r.block_number DESC LIMIT 1) n
     WHERE k.chain_id = $1 AND k.block_number > $2 AND t.chain_id = $1 AND ${isSameKey("t", "k")}`;
};
