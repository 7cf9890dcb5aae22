import { rm } from "node:fs/promises";
import { join } from "node:path";
import { stderr, stdout } from "node:process";
import { hasManifest } from "../backup/manifest.ts";
import type { Config } from "../config/config.ts";
import { databaseNameOf } from "../config/database-config.ts";
import { isUnavailable } from "../database/errors.ts";
import { type IndexedChainRow, type IndexState, readIndexState } from "../domains/chains/queries/index-state.ts";
import { redactMessage } from "../http/redact.ts";
import { every, nullOnAbort, poll } from "../lib/async.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { backup } from "./backup.ts";
import { CommandError } from "./command-error.ts";
import { requireDatabase } from "./configured-database.ts";
import { parseDatabaseName, renderDatabaseName } from "./database-option.ts";
import { indexChains } from "./index-chains.ts";
import { type ChainDatabase, openChainDatabase } from "./open-chain-database.ts";
import { invalidValue } from "./option-values.ts";
import { restore } from "./restore.ts";

export interface MoveCommandOptions {
  /** The name of the database to move the chain to. */
  readonly to: string;
  /** The folder where the snapshot is stored until it is restored. */
  readonly folder?: string | undefined;
  readonly jobs?: number | undefined;
}

/** A chain's move from one database to another. */
interface Move {
  readonly name: string;
  /** The names of the databases, as command options expect them. */
  readonly source: string;
  readonly target: string;
  readonly config: Config;
  /** The configuration after the move, without settings for the service's other processes. */
  readonly moved: Config;
}

/**
 * `ashlar chains move`: copies a chain to another database while it is indexed and served, and then indexes it there until the process is stopped, so
 * that servers can be restarted with the new database at any time. If it is killed, running it again continues the move. @throws {CommandError}
 */
export async function moveChain(config: Config, name: string, version: string, { to, folder, jobs }: MoveCommandOptions): Promise<void> {
  requireDatabase(config);
  const move = planMove(config, name, to);
  await copy(move, version, jobs, join(folder ?? config.dataDirectory, `move-${name}`));
  await followHead(move);
}

function planMove(config: Config, name: string, to: string): Move {
  const chain = config.chains.find((configured) => configured.name === name);
  if (chain === undefined)
    throw invalidValue("the chain", name, `a configured chain (${config.chains.map((other) => other.name).join(", ") || "there is none"})`);
  const target = parseDatabaseName(config, "--to", to);
  const source = databaseNameOf(chain);
  if (source === target) throw invalidValue("--to", to, `a database other than the current one of ${name}. Nothing was changed`);
  const { database: _, ...elsewhere } = chain;
  const chains = [target === null ? elsewhere : { ...elsewhere, database: target }];
  const moved = { ...config, chains, metrics: undefined, console: undefined, tracing: undefined };
  return { name, source: renderDatabaseName(source), target: renderDatabaseName(target), config, moved };
}

/** Copies the chain, unless an earlier run did. @throws {CommandError} */
async function copy(
  { name, source, target, config, moved }: Move,
  version: string,
  jobs: number | undefined,
  folder: string,
): Promise<void> {
  const original = await readChain(config, name);
  if (original === undefined) throw new CommandError(`${name} is not indexed in ${source}: set its database in ashlar.yaml instead.`);
  if (original.paused_at !== null)
    throw new CommandError(
      `${name} is paused in ${source}, but a move indexes its copy: run ashlar chains resume ${name}, then repeat this command. Nothing was changed.`,
    );
  const copied = await readChain(moved, name);
  if (copied !== undefined && copied.restore_started_at === null) {
    requireIndexable(copied, name, target);
    // Left by a run that was killed after its restore.
    await rm(folder, { recursive: true, force: true });
    stdout.write(
      `${target} already has ${name} up to block ${copied.block ?? "none"}, so it is not copied again. To copy it again, stop this command and run ashlar chains remove ${name} --database ${target}.\n`,
    );
    return;
  }
  if (copied === undefined) {
    // An earlier run's files may be outdated, or have an older schema.
    await rm(folder, { recursive: true, force: true });
    await backup(config, folder, version, { jobs, chain: name, database: source });
  } else if (!hasManifest(folder))
    throw new CommandError(
      `A restore of ${name} into ${target} was not completed, and its snapshot is not in ${folder}: pass its folder with --folder, or run ashlar chains remove ${name} --database ${target}.`,
    );
  await restore(moved, folder, { jobs, chain: name, database: target });
  await rm(folder, { recursive: true });
}

/** @throws {CommandError} if the chain cannot be indexed in the database that it was copied to. */
function requireIndexable({ removal_started_at: removed, paused_at: paused }: IndexedChainRow, name: string, target: string): void {
  if (removed !== null)
    throw new CommandError(
      `${name} is being removed from ${target}: complete that first with ashlar chains remove ${name} --database ${target}.`,
    );
  if (paused !== null)
    throw new CommandError(
      `${name} is paused in ${target}: run ashlar chains resume ${name} --database ${target}, and repeat this command.`,
    );
}

/** Opens the database where a configuration stores a chain. */
const openFor = (config: Config, name: string): Promise<ChainDatabase> =>
  openChainDatabase(config, databaseNameOf(config.chains.find((chain) => chain.name === name) ?? {}));

/** Reads the chain from the database where a configuration stores it. */
async function readChain(config: Config, name: string): Promise<IndexedChainRow | undefined> {
  const opened = await openFor(config, name);
  try {
    return (await readIndexState(opened.indexing)).chains.find((row) => row.name === name);
  } finally {
    await opened.close();
  }
}

/** Indexes the chain in its new database until the process is stopped, and prints the next steps once it has caught up with the old database. */
async function followHead(move: Move): Promise<void> {
  const before = await openFor(move.config, move.name);
  try {
    const after = await openFor(move.moved, move.name);
    const ended = new AbortController();
    const announcing = announceHead(move, before, after, ended.signal).catch((error: unknown) => {
      const reason = redactMessage(error instanceof Error ? error.message : String(error));
      stderr.write(`Cannot compare ${move.target} with ${move.source}: ${escapeTerminal(reason)}\n`);
    });
    try {
      await indexChains(move.moved);
    } finally {
      ended.abort();
      await announcing;
      await after.close();
    }
  } finally {
    await before.close();
  }
}

/**
 * Prints the next steps as soon as a process indexes the copy and it has caught up with the original. Keeps polling while a database does not
 * respond.
 */
async function announceHead(move: Move, before: ChainDatabase, after: ChainDatabase, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  const isReached = async (): Promise<true | null> => {
    try {
      const states = await nullOnAbort(Promise.all([readIndexState(before.shortReads), readIndexState(after.shortReads)]), signal);
      if (states === null) return null;
      const [old, copied] = states;
      const silence = copied.chains.find((row) => row.name === move.name)?.silent_seconds ?? Number.POSITIVE_INFINITY;
      // Until an indexer has determined which projections to rebuild, the checkpoints are still the snapshot's.
      const isIndexed = silence * 1_000 < performance.now() - startedAt;
      return isIndexed && hasCaughtUp(move.name, copied, old) ? true : null;
    } catch (error) {
      if (isUnavailable(error)) return null;
      throw error;
    }
  };
  if (await poll(isReached, { ...every(1_000), signal })) stdout.write(instructions(move));
}

/** Whether one of a chain's indexes, including its projections that have not failed, has caught up with another. */
function hasCaughtUp(name: string, index: IndexState, other: IndexState): boolean {
  const blockIn = ({ chains }: IndexState): number => chains.find((row) => row.name === name)?.block ?? -1;
  const checkpointsIn = ({ checkpoints }: IndexState) =>
    new Map(checkpoints.filter((row) => row.name === name && !row.has_failed).map((row) => [row.projection, row.block_number]));
  const reached = checkpointsIn(index);
  return (
    blockIn(index) >= blockIn(other) &&
    [...checkpointsIn(other)].every(([projection, block]) => (reached.get(projection) ?? Number.POSITIVE_INFINITY) >= block)
  );
}

const instructions = ({ name, source, target, moved }: Move): string =>
  `${name} is indexed as far in ${target} as in ${source}. To use it there:
  1. In ashlar.yaml, ${moved.chains[0]?.database === undefined ? `delete the setting database of ${name}` : `set database: ${target} for ${name}`}.
  2. Restart the servers, one after the other, and then all indexers; one of them waits for this command to end.
  3. Stop this command (Ctrl+C), so that the indexer continues.
  4. Delete the old rows: ashlar chains remove ${name} --database ${source}
`;
