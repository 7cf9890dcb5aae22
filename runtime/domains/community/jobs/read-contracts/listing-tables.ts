import { bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import { identifier, type Sql, sql } from "../../../../database/sql.ts";
import type { Protocol } from "../../../../declarations/protocol.ts";
import type { BlockBoundTable } from "../../../../indexer/reorg/roll-back.ts";
import type { Address } from "../../../../lib/hex.ts";
import { projectionIdOf, relationsOf, tableOf } from "../../relations.ts";
import { type ListedKind, listedKinds } from "./listed-contracts.ts";

/**
 * Deletes the rows of contracts listed only by results above the ancestor, before these results are deleted. By then, the contracts and all
 * rows above the ancestor have been rolled back. Served by the results' block index, logs_address and primary keys.
 */
export const listingTables = (protocols: readonly Protocol[]): BlockBoundTable[] =>
  listedKinds(protocols).map((kind) => ({
    name: kind.table,
    blockColumn: "block_number",
    projection: { id: projectionIdOf(kind.protocol.id), isIsolated: true },
    beforeDelete: async (client, chainId, ancestor) => {
      const removed = await removedContracts(client, chainId, ancestor, kind);
      if (removed.length > 0) await deleteRowsOf(client, chainId, kind, removed);
    },
  }));

const removedContracts = async (client: Queryable, chainId: number, ancestor: number, { protocol, kind, table, column }: ListedKind) => {
  const rows = await client.query<{ address: Address }>(
    sql`SELECT DISTINCT l.address FROM ${identifier(table)} r CROSS JOIN LATERAL unnest(${listOf(protocol, table, column)}) AS l(address)
     WHERE r.chain_id = $1 AND r.block_number > $2 AND l.address IS NOT NULL AND NOT EXISTS (
       SELECT FROM ${identifier(tableOf(protocol.id, "contracts"))} c WHERE c.chain_id = $1 AND c.address = l.address AND c.kind = $3)`,
    [chainId, ancestor, kind],
  );
  return rows.map(({ address }) => address);
};

/** A result's address or addresses as an array. */
const listOf = (protocol: Protocol, table: string, column: string): Sql => {
  const read = protocol.reads.find(({ name }) => tableOf(protocol.id, name) === table);
  const isList = read?.columns.find(({ name }) => name === column)?.type === "address[]";
  return isList ? sql`${identifier(`r.${column}`)}` : sql`ARRAY[${identifier(`r.${column}`)}]`;
};

const deleteRowsOf = async (
  client: DatabaseClient,
  chainId: number,
  { protocol, kind }: ListedKind,
  removed: readonly Address[],
): Promise<void> => {
  const { events, skipped, reads } = relationsOf(protocol);
  const kindEvents = events.filter(({ definition }) => definition.contract === kind);
  const addresses = bytesArray(removed);
  for (const { table } of [...kindEvents.map(({ rows }) => rows), skipped]) {
    const isSkipped = table === skipped.table;
    await client.query(
      sql`DELETE FROM ${identifier(table.name)} t USING logs l WHERE l.chain_id = $1 AND l.address = ANY($2::bytea[])
       AND t.chain_id = $1 AND t.block_number = l.block_number AND t.log_index = l.log_index${isSkipped ? sql` AND t.table_name = ANY($3)` : sql``}`,
      [chainId, addresses, ...(isSkipped ? [kindEvents.map(({ definition }) => definition.name)] : [])],
    );
  }
  const called = reads.filter(({ definition }) => definition.contract === kind);
  for (const { table } of called.flatMap(({ results, latest }) => [results, latest ?? []].flat()))
    await client.query(sql`DELETE FROM ${identifier(table.name)} WHERE chain_id = $1 AND contract = ANY($2::bytea[])`, [
      chainId,
      addresses,
    ]);
  await client.query(
    sql`DELETE FROM community_reads WHERE chain_id = $1 AND protocol = $2 AND read_name = ANY($3) AND contract = ANY($4::bytea[])`,
    [chainId, protocol.id, called.map(({ definition }) => definition.name), addresses],
  );
};
