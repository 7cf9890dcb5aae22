import type { Queryable } from "../database/database.ts";
import { CommandError } from "./command-error.ts";

export interface DemoDatabaseOptions {
  readonly database: Queryable;
  /** The demo's chains. */
  readonly chains: readonly { readonly id: number; readonly name: string }[];
  /** Whether DATABASE_URL names the database, rather than the demo's own data directory. */
  readonly isExternal: boolean;
}

const remedy = "configure your chains in ashlar.yaml, or run the demo in another folder without DATABASE_URL";

/**
 * Refuses a database that contains anything other than the demo: other chains or, in an external database that the demo has not used before, keys.
 * @throws {CommandError} with a list of what was found
 */
export async function requireDemoDatabase({ database, chains, isExternal }: DemoDatabaseOptions): Promise<void> {
  const indexed = await database.query<{ chain_id: number; name: string }>("SELECT chain_id, name FROM chains ORDER BY chain_id");
  const isDemo = ({ chain_id: id, name }: (typeof indexed)[number]): boolean =>
    chains.some((chain) => chain.id === id && chain.name === name);
  const others = indexed.filter((chain) => !isDemo(chain)).map(({ chain_id: id, name }) => `${name} (${id})`);
  if (others.length > 0)
    throw new CommandError(
      `No chain is configured, and the demo refuses a database with other chains: found ${others.join(", ")}; ${remedy}.`,
    );
  if (!isExternal || indexed.length > 0) return;
  const [row] = await database.query<{ count: number }>(
    "SELECT count(*) AS count FROM api_keys WHERE revoked_at IS NULL AND label <> 'demo'",
  );
  const count = row?.count ?? 0;
  if (count > 0)
    throw new CommandError(`No chain is configured, and the demo refuses a database with API keys: found ${count}; ${remedy}.`);
}

/** Refuses to delete an earlier demo's index from an external database. @throws {CommandError} */
export function requireDeletableIndex(chain: string, isExternal: boolean): void {
  if (!isExternal) return;
  throw new CommandError(
    `The index of ${chain} at DATABASE_URL belongs to the demo of another data directory: use that directory (ASHLAR_DATA_DIR), or a new database.`,
  );
}
