import type { Database } from "../../../runtime/database/database.ts";

/** Records the hash of each block that the index deletes, so that the time of that commit can be read. */
export async function recordAbandonedBlocks({ query }: Pick<Database, "query">): Promise<void> {
  await query(`
    CREATE TABLE abandoned_blocks (hash bytea NOT NULL);
    CREATE FUNCTION record_abandoned_block() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO abandoned_blocks VALUES (OLD.hash); RETURN NULL; END
    $$;
    CREATE TRIGGER blocks_abandoned AFTER DELETE ON blocks FOR EACH ROW EXECUTE FUNCTION record_abandoned_block();
  `);
}

/** The abandoned blocks by hash, with the time in milliseconds since 1970 at which the transaction that deleted them was committed. */
export async function abandonedBlocks({ query }: Pick<Database, "query">): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ hash: string; left_at: number }>(
    `SELECT '0x' || encode(hash, 'hex') AS hash, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS left_at FROM abandoned_blocks`,
  );
  return new Map(rows.map(({ hash, left_at: leftAt }) => [hash, leftAt]));
}
