import type { ChainConfig, Config } from "../config/config.ts";
import type { Queryable } from "../database/database.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import { CommandError } from "./command-error.ts";
import { fetchChainId } from "./indexing.ts";

/** Rejects a configuration without chains, before a database is opened or created. @throws {CommandError} */
export function requireChains(config: Config): void {
  if (config.chains.length > 0) return;
  throw new CommandError(
    "No chain is configured; add one to ashlar.yaml under chains, pass --chain NAME --rpc URL, or run ashlar start for the demo.",
  );
}

/** The configured chains with their ids: configured, stored in the index, or reported by the node. @throws {CommandError} */
export async function resolveChains(config: Config, database: Queryable, signal?: AbortSignal): Promise<readonly ChainConfig[]> {
  const indexed = new Map((await createLedgerQueries(database).chains()).map((row) => [row.name, row.chain_id]));
  const chains: ChainConfig[] = [];
  for (const chain of config.chains) {
    const id =
      chain.id ?? indexed.get(chain.name) ?? (chain.rpc === undefined ? undefined : await fetchChainId(chain.name, chain.rpc, signal));
    if (id === undefined) throw new CommandError(`Chain ${chain.name} has no id, node or index yet; set its id or its rpc in ashlar.yaml.`);
    const duplicate = chains.find((other) => other.id === id);
    if (duplicate !== undefined)
      throw new CommandError(`Chains ${duplicate.name} and ${chain.name} have the same id ${id}; configure each network once.`);
    chains.push({ ...chain, id });
  }
  return chains;
}
