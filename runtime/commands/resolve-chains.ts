import { type AnyChainConfig, type Config, isBitcoinChain } from "../config/config.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import type { Queryable } from "../database/database.ts";
import { isUnavailable } from "../database/errors.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import { bitcoinNetworks } from "../lib/bitcoin/networks.ts";
import { CommandError } from "./command-error.ts";
import { fetchChainId } from "./fetch-chain-id.ts";

/** Rejects a configuration without chains, before a database is opened or created. @throws {CommandError} */
export function requireChains(config: Config): void {
  if (config.chains.length > 0) return;
  throw new CommandError(
    "No chain is configured; add one to ashlar.yaml under chains, pass --chain NAME --rpc URL, or run ashlar start for the demo.",
  );
}

/** Databases that store the ids of indexed chains. */
export interface ChainDatabases {
  /** The control database, or the only database that a command opens. */
  readonly indexing: Queryable;
  readonly shards?: readonly { readonly name: string; readonly indexing: Queryable }[];
}

/**
 * Resolves the ids of the configured chains from the configuration, the index or their nodes. Skips a database of `databases` that does not respond.
 * @throws {CommandError}
 */
export async function resolveChains(
  config: Config,
  { indexing, shards = [] }: ChainDatabases,
  signal?: AbortSignal,
): Promise<readonly AnyChainConfig[]> {
  const indexed = await indexedIds(indexing);
  const inShards = new Map(
    await Promise.all(shards.map(async (shard) => [shard.name, await idsUnlessUnavailable(shard.indexing)] as const)),
  );
  const chains: AnyChainConfig[] = [];
  for (const chain of config.chains) {
    const ids = inShards.get(chain.database ?? "") ?? indexed;
    const id = chain.id ?? ids.get(chain.name) ?? (await findId(chain, signal));
    const duplicate = chains.find((other) => other.id === id);
    if (duplicate !== undefined)
      throw new CommandError(`Chains ${duplicate.name} and ${chain.name} have the same id ${id}; configure each network once.`);
    chains.push({ ...chain, id });
  }
  return chains;
}

const indexedIds = async (database: Queryable): Promise<ReadonlyMap<string, number>> =>
  new Map((await createLedgerQueries(database).chains()).map((row) => [row.name, row.chain_id]));

const idsUnlessUnavailable = (database: Queryable): Promise<ReadonlyMap<string, number>> =>
  indexedIds(database).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
    return new Map();
  });

type Configured = Config["chains"][number];

/** Determines a chain's id if it is neither configured nor in the index. @throws {CommandError} */
async function findId(chain: Configured, signal: AbortSignal | undefined): Promise<number> {
  if (isBitcoinChain(chain)) return bitcoinNetworks[chain.network].id;
  const urls = nodeUrlsOf(chain);
  if (urls.length === 0) throw new CommandError(`The id of chain ${chain.name} is unknown; set its id or its rpc in ashlar.yaml.`);
  return fetchChainId(chain.name, urls, signal);
}
