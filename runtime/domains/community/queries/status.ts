import type { Database } from "../../../database/database.ts";
import { identifier, joinSql, sql } from "../../../database/sql.ts";
import { projectionPrefix } from "../relations.ts";

/** The index of one protocol on one chain. */
export interface ProtocolStatus {
  readonly protocol: string;
  readonly chain_id: number;
  /** The last block that the protocol's tables include. */
  readonly checkpoint: number;
  /** The indexed head of the chain. */
  readonly head: number;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  /** Logs that do not encode the event of their first topic. */
  readonly skipped: number;
  /** Why the protocol is switched off on the chain; null if it is not. */
  readonly failure: string | null;
  /** Due contract calls. */
  readonly queued_reads: number;
}

interface CheckpointRow {
  readonly protocol: string;
  readonly chain_id: number;
  readonly checkpoint: number;
  readonly head: number;
  readonly failure: string | null;
  readonly tables: readonly string[];
  readonly queued_reads: number;
}

/** Queries for the state of declared protocols. */
export const createProtocolStatusQueries = ({ query }: Pick<Database, "query">) => ({
  /**
   * The status of each protocol on each chain that indexes it; without tables if they could not be created. Counts all rows, so it is for commands,
   * not for requests.
   */
  statuses: async (): Promise<ProtocolStatus[]> => {
    const checkpoints = await query<CheckpointRow>(
      `SELECT substr(c.projection, length($1) + 1) AS protocol, c.chain_id, c.block_number AS checkpoint, c.failure, coalesce(p.tables, '{}') AS tables,
         (SELECT max(o.block_number) FROM projection_checkpoints o WHERE o.chain_id = c.chain_id) AS head,
         (SELECT count(*) FROM community_reads r WHERE r.chain_id = c.chain_id AND $1 || r.protocol = c.projection) AS queued_reads
       FROM projection_checkpoints c LEFT JOIN community_protocols p ON $1 || p.id = c.projection
       WHERE starts_with(c.projection, $1) ORDER BY c.projection, c.chain_id`,
      [projectionPrefix],
    );
    const statuses: ProtocolStatus[] = [];
    for (const { tables, ...row } of checkpoints) {
      const counts = tables.map(
        (table, position) =>
          sql`SELECT ($2::text[])[${position + 1}] AS name, count(*) AS rows FROM ${identifier(table)} WHERE chain_id = $1`,
      );
      const counted =
        counts.length === 0
          ? []
          : await query<{ name: string; rows: number }>(joinSql(counts, sql` UNION ALL `), [row.chain_id, [...tables]]);
      const views = counted.map(({ name, rows }) => ({ name: name.slice(`cq_${row.protocol}_`.length), rows }));
      statuses.push({ ...row, tables: views, skipped: views.find(({ name }) => name === "skipped")?.rows ?? 0 });
    }
    return statuses;
  },
});
