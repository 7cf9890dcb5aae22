import type { Database } from "../../../database/database.ts";

/** What the index knows of a chain's node and of its own progress. */
export interface NodeRow {
  readonly chain_id: number;
  readonly offers: readonly string[] | null;
  readonly batch_size: number | null;
  readonly traces_by: string | null;
  readonly seen_at: Date | null;
  readonly latest_timestamp: number | null;
  readonly building: readonly string[];
}

/** Questions about the state of the indexed chains. */
export function createStatusQueries({ query }: Pick<Database, "query">) {
  /** One row a chain that an indexer has begun; `building` are the projections behind the ledger. Served by the primary keys; a row a chain or projection. */
  const nodes = () =>
    query<NodeRow>(
      `SELECT c.chain_id, c.offers, c.batch_size, c.traces_by, c.seen_at, c.latest_timestamp, ARRAY(
         SELECT p.projection FROM projection_checkpoints p WHERE p.chain_id = c.chain_id AND p.block_number <
           (SELECT max(o.block_number) FROM projection_checkpoints o WHERE o.chain_id = c.chain_id) ORDER BY p.projection) AS building
       FROM chains c`,
      [],
    );

  return { nodes };
}
