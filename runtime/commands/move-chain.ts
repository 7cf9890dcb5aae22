import { rm } from "node:fs/promises";
import { join } from "node:path";
import { stdout } from "node:process";
import { hasManifest } from "../backup/manifest.ts";
import type { Config } from "../config/config.ts";
import { databaseOf } from "../config/database-config.ts";
import { type IndexState, readIndexState } from "../domains/chains/queries/index-state.ts";
import { sleep } from "../lib/async.ts";
import { backup } from "./backup.ts";
import { CommandError } from "./command-error.ts";
import { parseDatabaseName, renderDatabaseName } from "./database-option.ts";
import { indexChains } from "./index-chains.ts";
import { type ChainDatabase, openChainDatabase } from "./open-chain-database.ts";
import { invalidValue } from "./option-values.ts";
import { restore } from "./restore.ts";
import { requireDatabase } from "./used-database.ts";

export interface MoveCommand {
  /** The name of the database to move the chain to. */
  readonly to: string;
  /** Where the snapshot is stored until it is restored. */
  readonly folder?: string | undefined;
  readonly jobs?: number | undefined;
}

/** The chain in the database that it is stored in and in the one that it is moved to. */
interface Move {
  readonly name: string;
  readonly source: string | null;
  readonly target: string | null;
  readonly config: Config;
  /** The configuration after the move, without what other processes of the service provide. */
  readonly moved: Config;
}

/**
 * `ashlar chains move`: copies a chain to another database while it is indexed and served, and then indexes it there, so that servers can be restarted with
 * the new database at any time, until the process is stopped. A killed one is started again. @throws {CommandError}
 */
export async function moveChain(config: Config, name: string, version: string, { to, folder, jobs }: MoveCommand): Promise<void> {
  requireDatabase(config);
  const move = planMove(config, name, to);
  await copy(move, version, { jobs, folder: folder ?? join(config.dataDirectory, `move-${name}`) });
  await followHead(move);
}

function planMove(config: Config, name: string, to: string): Move {
  const chain = config.chains.find((configured) => configured.name === name);
  if (chain === undefined)
    throw invalidValue("the chain", name, `a configured chain (${config.chains.map((other) => other.name).join(", ") || "there is none"})`);
  const target = parseDatabaseName(config, "--to", to);
  const source = databaseOf(chain);
  if (source === target) throw invalidValue("--to", to, `another database than that of ${name}. Nothing was changed`);
  const { database: _, ...elsewhere } = chain;
  const moved = { ...config, chains: [target === null ? elsewhere : { ...elsewhere, database: target }] };
  return { name, source, target, config, moved: { ...moved, metrics: undefined, console: undefined, tracing: undefined } };
}

/** Copies the chain, unless an earlier command did. @throws {CommandError} */
async function copy(
  { name, source, target, config, moved }: Move,
  version: string,
  { folder, jobs }: { readonly folder: string; readonly jobs: number | undefined },
): Promise<void> {
  const chain = await withState(moved, target, (state) => state.chains.find((row) => row.name === name));
  if (chain?.removal_started_at)
    throw new CommandError(
      `${name} is being removed from ${renderDatabaseName(target)}: complete that first with ashlar chains remove ${name} --database ${renderDatabaseName(target)}.`,
    );
  if (chain !== undefined && chain.restore_started_at === null) {
    stdout.write(`${renderDatabaseName(target)} has ${name} up to block ${chain.block ?? "none"}: it is not copied again.\n`);
    return;
  }
  // A killed command may have completed the snapshot; a restore that was started can only continue with the same one.
  if (!hasManifest(folder)) {
    if (chain !== undefined)
      throw new CommandError(
        `A restore of ${name} into ${renderDatabaseName(target)} was not completed, and ${folder} has no snapshot: pass the folder of its snapshot with --folder.`,
      );
    await backup(config, folder, version, { jobs, chain: name, database: renderDatabaseName(source) });
  }
  await restore(moved, folder, { jobs, chain: name, database: renderDatabaseName(target) });
  await rm(folder, { recursive: true });
}

/** Indexes the chain in its new database until the process is stopped, and describes how to use it as soon as it is at the head of the old one. */
async function followHead(move: Move): Promise<void> {
  const ended = new AbortController();
  const announcing = announceHead(move, ended.signal);
  try {
    await indexChains(move.moved);
  } finally {
    ended.abort();
    await announcing;
  }
}

const pollMilliseconds = 1_000;

async function announceHead({ name, source, target, config, moved }: Move, signal: AbortSignal): Promise<void> {
  const opened: ChainDatabase[] = [];
  try {
    const [before, after] = [await openChainDatabase(config, source), await openChainDatabase(moved, target)];
    opened.push(before, after);
    for (; !signal.aborted; await sleep(pollMilliseconds, signal)) {
      const [old, copied] = await Promise.all([readIndexState(before.indexing), readIndexState(after.indexing)]);
      if (!isAsFar(name, copied, old)) continue;
      stdout.write(instructions(name, renderDatabaseName(source), renderDatabaseName(target)));
      return;
    }
  } finally {
    await Promise.all(opened.map((database) => database.close()));
  }
}

/** Whether an index of a chain, with all of its projections, is as far as another one. */
function isAsFar(name: string, index: IndexState, other: IndexState): boolean {
  const blockIn = ({ chains }: IndexState): number => chains.find((row) => row.name === name)?.block ?? -1;
  const checkpointsIn = ({ checkpoints }: IndexState) =>
    new Map(checkpoints.filter((row) => row.name === name).map((row) => [row.projection, row.block_number]));
  const reached = checkpointsIn(index);
  return (
    blockIn(index) >= blockIn(other) &&
    [...checkpointsIn(other)].every(([projection, block]) => (reached.get(projection) ?? Number.POSITIVE_INFINITY) >= block)
  );
}

const instructions = (name: string, source: string, target: string): string =>
  `${name} is in ${target} as far as in ${source}. To use it there:
  1. In ashlar.yaml, ${target === "control" ? `delete the setting database of ${name}` : `set database: ${target} for ${name}`}.
  2. Restart the servers, one after the other, and then the indexer, which waits for this command to end.
  3. Stop this command (Ctrl+C), so that the indexer continues.
  4. Delete the old rows: ashlar chains remove ${name} --database ${source}
`;

async function withState<T>(config: Config, database: string | null, read: (state: IndexState) => T): Promise<T> {
  const opened = await openChainDatabase(config, database);
  try {
    return read(await readIndexState(opened.indexing));
  } finally {
    await opened.close();
  }
}
