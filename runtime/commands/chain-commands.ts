import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { type Config, isEvmChain } from "../config/config.ts";
import { databaseNameOf } from "../config/database-config.ts";
import { readIndexState } from "../domains/chains/queries/index-state.ts";
import { nullOnAbort } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";
import { pluralize } from "../lib/pluralize.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { type QueueName, queueTables, refreshMetadata, retryJobs } from "../operator/jobs.ts";
import { isPaused, pauseChain, resumeChain } from "../operator/pause.ts";
import { removeChain } from "../operator/remove-chain.ts";
import { loadProtocols } from "../protocols.ts";
import { commandActor } from "./actor.ts";
import { renderChain, renderDetails, renderQueues } from "./chain-status.ts";
import { CommandError } from "./command-error.ts";
import { requireDatabase } from "./configured-database.ts";
import { parseDatabaseName, renderDatabaseName } from "./database-option.ts";
import { databaseNames, openChainDatabase, withEachDatabase, withIndexedChain } from "./open-chain-database.ts";
import { createProgress } from "./progress.ts";
import { repairChain } from "./repair-chain.ts";
import { resolveOnlyEvmChain } from "./resolve-only-evm-chain.ts";

const print = (line: string): void => void stdout.write(`${escapeTerminal(line)}\n`);

/** Selects the database if the chain is stored in several, for example after a move. */
export interface DatabaseOption {
  readonly database?: string;
}

export interface RepairCommandOptions {
  readonly to: number;
  readonly yes?: boolean;
}

/** `ashlar chains repair`: prints what repairing a chain changes, and repairs the chain with `--yes`. @throws {CommandError} */
export async function repairChainByName(config: Config, name: string, { to, yes = false }: RepairCommandOptions): Promise<void> {
  requireDatabase(config);
  const { protocols } = loadProtocols(config);
  const chains = config.chains.filter((configured) => configured.name === name);
  const [configured] = chains;
  if (configured === undefined || !isEvmChain(configured))
    throw new CommandError(`Invalid value "${name}" for the chain: expected a configured EVM chain; see chains in ashlar.yaml.`);
  const database = await openChainDatabase(config, databaseNameOf(configured));
  try {
    const chain = await resolveOnlyEvmChain({ ...config, chains }, database.indexing);
    await repairChain({
      database: database.indexing,
      actionLog: database.actionLog,
      chain,
      protocols,
      to,
      isConfirmed: yes,
      actor: commandActor(),
      print,
    });
  } finally {
    await database.close();
  }
}

/** `ashlar chains pause`: pauses indexing a chain until `ashlar chains resume`. Its indexer stops within seconds. @throws {CommandError} */
export const pauseChainByName = (config: Config, name: string, { database: databaseName }: DatabaseOption = {}): Promise<void> =>
  withChain(config, name, databaseName, async (database, chain) => {
    if (await pauseChain(database, chain, commandActor())) print(`Paused indexing ${name}: its indexer stops within seconds.`);
    else print(`Indexing of ${name} is already paused.`);
  });

/** `ashlar chains resume`: continues indexing a paused chain. @throws {CommandError} */
export const resumeChainByName = (config: Config, name: string, { database: databaseName }: DatabaseOption = {}): Promise<void> =>
  withChain(config, name, databaseName, async (database, chain) => {
    const outcome = await resumeChain(database, chain, commandActor());
    if (outcome === "resumed") print(`Resumed indexing ${name}: its indexer continues within seconds.`);
    else if (outcome === "not paused") print(`Indexing of ${name} is not paused.`);
    else throw new CommandError(`Cannot resume indexing of ${name}: it is ${outcome}. Nothing was changed.`);
  });

export interface RemoveCommandOptions extends DatabaseOption {
  readonly yes?: string;
}

/** How long to wait for an indexer to release the chain, depending on whether the chain is paused. */
const waitMilliseconds = { paused: 30_000, other: 2_000 } as const;

/** `ashlar chains remove`: deletes all rows of a chain after its name has been typed or passed. @throws {CommandError} */
export const removeChainByName = (config: Config, name: string, { yes, database: databaseName }: RemoveCommandOptions): Promise<void> =>
  withChain(config, name, databaseName, async (database, chain) => {
    const place = isSharded(config) ? ` in ${renderDatabaseName(chain.database)}` : "";
    print(`All rows of ${name}${place} will be deleted, including its prices and metadata. Other chains and API keys are not affected.`);
    if (config.chains.some((configured) => configured.name === name && databaseNameOf(configured) === chain.database))
      print(`${name} is still configured: an indexer with this configuration will index it again from the beginning.`);
    await confirmName(name, yes);
    const progress = createProgress();
    const wait = (await isPaused(database, chain.id)) ? waitMilliseconds.paused : waitMilliseconds.other;
    const onProgress = (done: number, total: number): void => progress.report(`remove ${name}`, done, total);
    const rows = await removeChain({ database, chain, actor: commandActor(), onProgress, waitMilliseconds: wait }).finally(progress.end);
    if (rows === null)
      throw new CommandError(
        `Another process is indexing ${name}: stop it, or pause it with ashlar chains pause ${name}${optionOf(config, chain.database)}, and repeat this command. Nothing was changed.`,
      );
    print(
      `Done: ${name} has been removed (${rows} rows). PostgreSQL reuses the space for new rows; VACUUM FULL returns it to the file system.`,
    );
  });

/** @throws {CommandError} if the name was neither passed nor typed. */
async function confirmName(name: string, passed: string | undefined): Promise<void> {
  if (passed === undefined && !stdin.isTTY)
    throw new CommandError(`Removing ${name} requires confirmation: pass --yes ${name}. Nothing was changed.`);
  const typed = passed ?? (await ask(`Type the chain's name to remove it: `));
  if (typed !== name) throw new CommandError(`Invalid confirmation "${typed}": expected ${name}. Nothing was changed.`);
}

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: stdin, output: stdout });
  // The end of the input, or Ctrl+C, is not a confirmation.
  const closed = new AbortController();
  terminal.on("close", () => closed.abort());
  try {
    return (await nullOnAbort(terminal.question(question), closed.signal)) ?? "";
  } finally {
    terminal.close();
  }
}

/** `ashlar chains status`: prints the progress of all indexed chains, or one chain's progress, projections and queues. @throws {CommandError} */
export async function printChainStatus(config: Config, name: string | undefined, { database: selected }: DatabaseOption): Promise<void> {
  requireDatabase(config);
  if (name !== undefined)
    return withChain(config, name, selected, async (database, chain) => {
      const state = await readIndexState(database);
      for (const row of state.chains.filter((other) => other.name === name)) print(renderChain(row));
      for (const line of await renderDetails(database, chain, state)) print(line);
    });
  let isEmpty = true;
  const databases = selected === undefined ? databaseNames(config) : [parseDatabaseName(config, "--database", selected)];
  await withEachDatabase(config, databases, async ({ indexing }, { databaseName }) => {
    for (const row of (await readIndexState(indexing)).chains) {
      isEmpty = false;
      print(isSharded(config) ? `${renderChain(row)}  in ${renderDatabaseName(databaseName)}` : renderChain(row));
    }
  });
  if (isEmpty) print("No chain is indexed.");
}

/** `ashlar chains jobs`: prints a chain's queues. @throws {CommandError} */
export const printJobs = (config: Config, name: string): Promise<void> =>
  withChain(config, name, undefined, async (database) => {
    for (const line of renderQueues(await readIndexState(database), name)) print(line);
    print("ashlar nfts status prints why nft-metadata entries failed.");
  });

export interface RetryCommandOptions {
  readonly queue?: string;
}

/** `ashlar chains retry-jobs`: makes the failed entries of a chain's queues due. @throws {CommandError} */
export const retryChainJobs = (config: Config, name: string, { queue }: RetryCommandOptions): Promise<void> => {
  const names = Object.keys(queueTables) as QueueName[];
  const queues = names.filter((other) => queue === undefined || other === queue);
  if (queues.length === 0) return Promise.reject(new CommandError(`Invalid value "${queue}" for --queue: expected ${names.join(" or ")}.`));
  return withChain(config, name, undefined, async (database, chain) => {
    const retried = await retryJobs(database, chain, queues, commandActor());
    print(`${retried} entries of ${queues.join(" and ")} are due: the process that indexes ${name} attempts them again.`);
  });
};

export interface RefreshCommandOptions {
  readonly contract?: Address;
}

/** `ashlar chains refresh-metadata`: queues token metadata to be read again. @throws {CommandError} */
export const refreshChainMetadata = (config: Config, name: string, { contract }: RefreshCommandOptions): Promise<void> =>
  withChain(config, name, undefined, async (database, chain) => {
    const { tokenCount, isCollection } = await refreshMetadata(database, chain, contract ?? null, commandActor());
    if (tokenCount === 0 && !isCollection)
      throw new CommandError(
        `No ${contract === undefined ? "token" : `token ${contract}`} with metadata in the index of ${name}. Nothing was changed.`,
      );
    if (tokenCount > 0) print(`Queued: the process that indexes ${name} reads the metadata of ${pluralize(tokenCount, "contract")} again.`);
    if (isCollection) print(`Queued: the process that indexes ${name} also fetches the NFT documents of ${contract} again.`);
  });

/** The option that selects a database, if there are several. */
const optionOf = (config: Config, database: string | null): string =>
  isSharded(config) ? ` --database ${renderDatabaseName(database)}` : "";
const isSharded = ({ databases }: Config): boolean => Object.keys(databases).length > 0;

/** Runs work with an indexed chain, which need not be configured. @throws {CommandError} if no chain has this name. */
async function withChain(
  config: Config,
  name: string,
  database: string | undefined,
  work: Parameters<typeof withIndexedChain>[2],
): Promise<void> {
  requireDatabase(config);
  await withIndexedChain(config, name, work, database === undefined ? undefined : parseDatabaseName(config, "--database", database));
}
