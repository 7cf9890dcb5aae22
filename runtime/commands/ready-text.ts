import type { AnyChainConfig } from "../config/config.ts";
import type { Database } from "../database/database.ts";

interface Ready {
  readonly url: string;
  /** The command that creates a key. */
  readonly createKeyCommand: string;
  /** The path of an example request that returns data. */
  readonly path: string;
}

/** Renders the message shown when `ashlar start` is ready: its URL, how to create a key, and an example request. */
export const renderReady = ({ url, createKeyCommand, path }: Ready): string =>
  [
    "",
    "Ashlar is ready.",
    `  documentation  ${url}/docs/`,
    `  create a key   ${createKeyCommand}`,
    `  then try       curl -H "Authorization: Bearer YOUR_KEY" "${url}${path}"`,
    "",
  ].join("\n");

/** The path of an example request: the balances of the newest transaction's sender, or the newest block if no transaction is indexed. */
export async function examplePath(
  databaseOf: (chain: AnyChainConfig) => Pick<Database, "query">,
  chains: readonly AnyChainConfig[],
): Promise<string> {
  for (const chain of chains) {
    const { id, name } = chain;
    const [newest] = await databaseOf(chain).query<{ sender: string }>(
      "SELECT from_address AS sender FROM transactions WHERE chain_id = $1 ORDER BY block_number DESC, transaction_index DESC LIMIT 1",
      [id],
    );
    if (newest !== undefined) return `/v1/${name}/address/${newest.sender}/balances_v2/`;
  }
  return `/v1/${chains[0]?.name}/block_v2/latest/`;
}
