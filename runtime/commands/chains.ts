import type { ChainConfig, Config } from "../config/config.ts";
import type { Queryable } from "../database/database.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import { CommandError } from "./command-error.ts";
import { askChainId } from "./indexing.ts";

/** @throws {CommandError} where no chain is configured; asked before a database is opened or made. */
export function requireChains(config: Config): void {
  if (config.chains.length > 0) return;
  throw new CommandError(
    "No chain is configured; add one to ashlar.yaml under chains, give --chain NAME --rpc URL, or run ashlar start for the demo.",
  );
}

/** The configured chains with their ids: as configured, as the index knows them, or as their nodes report. @throws {CommandError} @throws the signal's reason. */
export async function resolveChains(config: Config, database: Queryable, signal?: AbortSignal): Promise<readonly ChainConfig[]> {
  const indexed = new Map((await createLedgerQueries(database).chains()).map((row) => [row.name, row.chain_id]));
  const chains: ChainConfig[] = [];
  for (const chain of config.chains) {
    const id =
      chain.id ?? indexed.get(chain.name) ?? (chain.rpc === undefined ? undefined : await askChainId(chain.name, chain.rpc, signal));
    if (id === undefined)
      throw new CommandError(`Chain ${chain.name} has no id, no node and no index yet; set its id or its rpc in ashlar.yaml.`);
    const twin = chains.find((other) => other.id === id);
    if (twin !== undefined)
      throw new CommandError(`Chains ${twin.name} and ${chain.name} are both of id ${id}; configure each network once.`);
    chains.push({ ...chain, id });
  }
  return chains;
}
