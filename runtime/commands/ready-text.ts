import type { ChainConfig } from "../config/config.ts";
import type { Database } from "../database/database.ts";

interface Ready {
  readonly url: string;
  /** The command that makes a key. */
  readonly keys: string;
  /** Of a request that returns something. */
  readonly path: string;
}

/** What `ashlar start` says when it is ready: where it is, how to make a key, and a request that works with it. */
export const renderReady = ({ url, keys, path }: Ready): string =>
  [
    "",
    "Ashlar is ready.",
    `  documentation  ${url}/docs/`,
    `  make a key     ${keys}`,
    `  then try       curl -H "Authorization: Bearer YOUR_KEY" "${url}${path}"`,
    "",
  ].join("\n");

/** The balances of whoever sent the newest indexed transaction; the newest block where there is no transaction yet. Served by the primary key of transactions. */
export async function examplePath(database: Pick<Database, "query">, chains: readonly ChainConfig[]): Promise<string> {
  for (const { id, name } of chains) {
    const [newest] = await database.query<{ sender: string }>(
      "SELECT from_address AS sender FROM transactions WHERE chain_id = $1 ORDER BY block_number DESC, transaction_index DESC LIMIT 1",
      [id],
    );
    if (newest !== undefined) return `/v1/${name}/address/${newest.sender}/balances_v2/`;
  }
  return `/v1/${chains[0]?.name}/block_v2/latest/`;
}
