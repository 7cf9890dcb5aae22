import type { Queryable } from "../database/database.ts";

/** Stores the URL at which the console can be opened, for `ashlar console login`. */
export const storeConsoleUrl = async (database: Pick<Queryable, "query">, url: string): Promise<void> => {
  await database.query("INSERT INTO console_address (url) VALUES ($1) ON CONFLICT (is_last) DO UPDATE SET url = excluded.url", [url]);
};

/** The URL at which the console was last started; null if it never was. */
export const readConsoleUrl = async (database: Pick<Queryable, "query">): Promise<string | null> => {
  const [row] = await database.query<{ url: string }>("SELECT url FROM console_address", []);
  return row?.url ?? null;
};
