import type { Database } from "../../runtime/database/database.ts";
import { createKeys } from "../../runtime/http/keys.ts";

/** Runs work with new keys, then deletes them and their usage. */
export async function withKeys<T>(database: Database, count: number, work: (keys: readonly string[]) => Promise<T>): Promise<T> {
  const keys = createKeys(database);
  const created = await Promise.all(Array.from({ length: count }, (_, index) => keys.create({ label: `bench ${index}` })));
  try {
    return await work(created.map(({ key }) => key));
  } finally {
    const ids = created.map(({ id }) => id);
    await database.query("DELETE FROM credit_usage WHERE key_id = ANY ($1::int8[])", [ids]);
    await database.query("DELETE FROM api_keys WHERE id = ANY ($1::int8[])", [ids]);
  }
}
