import { identifier, joinSql, nothing, type Sql, sql } from "../../../../database/sql.ts";
import type { ContractRead, Protocol } from "../../../../declarations/protocol.ts";
import type { BlockBoundTable } from "../../../../indexer/reorg/roll-back.ts";
import { columnArguments, resultArguments } from "../../queued-arguments.ts";
import { projectionIdOf, scheduleTableName } from "../../relations.ts";
import { type DeclaredRead, declaredReads, firstOfGroups } from "./declared-reads.ts";
import { latestResultTables } from "./latest-results.ts";

/**
 * The read tables that a reorganisation rolls back: results read above the ancestor, the newest results, and the scheduled blocks. The queue is
 * rolled back with the projections. If the node keeps only the state of recent blocks (`isPruned`), a result may be from a block without an event:
 * contracts and arguments that lose all their results are therefore queued again.
 */
export const blockBoundReadTables = (protocols: readonly Protocol[], isPruned: boolean): BlockBoundTable[] => {
  const reads = declaredReads(protocols);
  if (reads.length === 0) return [];
  const first = new Set(firstOfGroups(reads));
  const results = reads.map(
    (read): BlockBoundTable => ({
      name: read.table.name,
      blockColumn: "block_number",
      projection: { id: projectionIdOf(read.protocol), isIsolated: true },
      ...(isPruned && first.has(read) ? { beforeDelete: queueAgain(read) } : {}),
    }),
  );
  return [
    { name: scheduleTableName, blockColumn: "from_block", beforeDelete: shortenSchedules },
    ...results,
    ...reads.flatMap(latestResultTables),
  ];
};

/** Ends the schedule of each read at the ancestor: one row per read. */
const shortenSchedules: NonNullable<BlockBoundTable["beforeDelete"]> = async (client, chainId, ancestor) => {
  await client.query("UPDATE community_read_schedule SET to_block = $2 WHERE chain_id = $1 AND to_block > $2 AND from_block <= $2", [
    chainId,
    ancestor,
  ]);
};

/** Queues contracts and arguments that lose all their results at the ancestor. Served by the tables' block indexes and primary keys. */
const queueAgain =
  ({ protocol, definition, table, contractsTable }: DeclaredRead): NonNullable<BlockBoundTable["beforeDelete"]> =>
  async (client, chainId, ancestor) => {
    await client.query(
      sql`INSERT INTO community_reads (chain_id, protocol, read_name, contract, arguments, block_number, attempts)
       SELECT DISTINCT $1::int8, $3, $4, t.contract, ${resultArguments(definition, "t")}, $2::int8, 0 FROM ${identifier(table.name)} t
       JOIN ${identifier(contractsTable)} c ON c.chain_id = $1 AND c.address = t.contract AND c.kind = $5
       WHERE t.chain_id = $1 AND t.block_number > $2
         AND NOT EXISTS (SELECT FROM ${identifier(table.name)} o
           WHERE o.chain_id = $1 AND o.contract = t.contract${sameArguments(definition)} AND o.block_number <= $2)
       ON CONFLICT (chain_id, protocol, read_name, contract, arguments, block_number) DO NOTHING`,
      [chainId, ancestor, protocol, definition.name, definition.contract],
    );
  };

const sameArguments = (definition: ContractRead): Sql =>
  joinSql(
    columnArguments(definition).map(({ name }) => sql` AND ${identifier(`o.${name}`)} = ${identifier(`t.${name}`)}`),
    nothing,
  );
