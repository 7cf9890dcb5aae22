import type { Database } from "../../../runtime/database/database.ts";

/** Records the hash of each block that the index deletes; the row's commit timestamp is the deletion time. */
export async function recordAbandonedBlocks({ query }: Pick<Database, "query">): Promise<void> {
  await query(`
    CREATE TABLE abandoned_blocks (hash bytea NOT NULL);
    CREATE FUNCTION record_abandoned_block() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO abandoned_blocks VALUES (OLD.hash); RETURN NULL; END
    $$;
    CREATE TRIGGER blocks_abandoned AFTER DELETE ON blocks FOR EACH ROW EXECUTE FUNCTION record_abandoned_block();
  `);
}

/** The abandoned blocks by hash, with the commit time of their deletion as Unix milliseconds. */
export async function abandonedBlocks({ query }: Pick<Database, "query">): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ hash: string; abandoned_at: number }>(
    `SELECT '0x' || encode(hash, 'hex') AS hash, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS abandoned_at
     FROM abandoned_blocks`,
  );
  return new Map(rows.map(({ hash, abandoned_at: abandonedAt }) => [hash, abandonedAt]));
}
