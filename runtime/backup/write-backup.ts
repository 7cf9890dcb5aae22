import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Session, SessionOptions } from "../database/session.ts";
import { identifier, sql } from "../database/sql.ts";
import { readUnfinishedRestore } from "../database/unfinished-restore.ts";
import { BackupError } from "./backup-error.ts";
import { completeFolder, prepareFolder } from "./backup-folder.ts";
import { tablesOfChains } from "./chain-tables.ts";
import { bestCompression, createCompressor } from "./compression.ts";
import { copyChainToStatement, copyToStatement } from "./copy-statements.ts";
import { createDigestStream } from "./digest.ts";
import { inParallel } from "./in-parallel.ts";
import { type BackedUpTable, currentFormat, fileOf, type Manifest, writeManifest } from "./manifest.ts";
import { openSnapshot } from "./open-snapshot.ts";
import { describeChain, protocolsOnChain, type SnapshotChain } from "./snapshot-chain.ts";
import { readMigrations, type TableSchema } from "./table-schema.ts";

export interface WriteOptions {
  readonly connection: SessionOptions;
  readonly folder: string;
  /** The number of connections, each of which copies one table at a time. */
  readonly jobs: number;
  /** The version of this program. */
  readonly version: string;
  readonly now: () => Date;
  /** Writes a snapshot of this chain instead of a backup of the entire index. */
  readonly chain?: SnapshotChain | undefined;
  /** Reports the number of copied bytes, before compression, and the estimated total, which is reached when everything is complete. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** The highest progress before everything is complete. */
const maxEstimate = 0.99;

/**
 * Writes a backup of the entire index, or of one chain, to a folder, from one snapshot of the database, while other processes write.
 * @throws {BackupError} if the folder has other files, or the database has no index.
 */
export async function writeBackup({ connection, folder, jobs, version, now, chain, onProgress }: WriteOptions): Promise<Manifest> {
  const createdAt = now().toISOString();
  const snapshot = await openSnapshot(connection, jobs);
  const [first] = snapshot.sessions;
  try {
    const { tables: selected, ...described } = await describe(first, snapshot.tables, chain);
    await prepareFolder(folder);
    const compression = bestCompression();
    const total = selected.reduce((sum, { diskBytes }) => sum + diskBytes, 0);
    let done = 0;
    const onBytes = (bytes: number): void => {
      done += bytes;
      // The text size is known only at the end.
      onProgress?.(Math.min(done, total * maxEstimate), total);
    };
    const tables = new Map<string, BackedUpTable>();
    // The largest table takes the longest, so it is copied first.
    const largestFirst = [...selected].sort((left, right) => right.diskBytes - left.diskBytes);
    await inParallel(largestFirst, snapshot.sessions, async (table, session) => {
      tables.set(table.name, await copyTable(session, table, { folder, compression, onBytes, chainId: described.chain?.id }));
    });
    const ordered = selected.flatMap(({ name }) => tables.get(name) ?? []);
    const manifest: Manifest = { format: currentFormat, createdAt, version, compression, ...described, tables: ordered };
    await writeManifest(folder, manifest);
    await completeFolder(folder);
    onProgress?.(total, total);
    return manifest;
  } finally {
    await snapshot.close();
  }
}

type Described = Pick<Manifest, "postgresql" | "migrations" | "protocols" | "chain"> & { readonly tables: readonly TableSchema[] };

async function describe(session: Session, all: readonly TableSchema[], selection: SnapshotChain | undefined): Promise<Described> {
  if ((await readUnfinishedRestore(session)) !== null)
    throw new BackupError(
      "The database is not completely restored: run ashlar restore with the same backup again before taking a new one.",
    );
  const migrations = [...(await readMigrations(session))];
  if (migrations.length === 0) throw new BackupError("The database has no Ashlar schema: nothing to back up.");
  const [server] = await session.query<{ version: string }>("SELECT current_setting('server_version') AS version");
  const postgresql = server?.version ?? "";
  const installed = await session.query<Manifest["protocols"][number]>(
    "SELECT id, fingerprint, tables FROM community_protocols ORDER BY id",
  );
  if (selection === undefined) return { postgresql, migrations, protocols: installed, tables: all };
  const chain = await describeChain(session, selection.name);
  const protocols = await protocolsOnChain(session, chain.id, installed, selection);
  const others = new Set(installed.filter((protocol) => !protocols.includes(protocol)).flatMap(({ tables }) => tables));
  return { postgresql, migrations, protocols, chain, tables: tablesOfChains(all).filter(({ name }) => !others.has(name)) };
}

interface CopyOptions extends Pick<Manifest, "compression"> {
  readonly folder: string;
  readonly onBytes: (bytes: number) => void;
  readonly chainId: number | undefined;
}

async function copyTable(
  session: Session,
  table: TableSchema,
  { folder, compression, onBytes, chainId }: CopyOptions,
): Promise<BackedUpTable> {
  const { name, columns } = table;
  const source = session.copyTo(chainId === undefined ? copyToStatement(table) : copyChainToStatement(table, chainId));
  const [content, file] = [createDigestStream(onBytes), createDigestStream()];
  const target = createWriteStream(join(folder, fileOf(name, { compression })), { flags: "wx", mode: 0o600, flush: true });
  await pipeline(source, content, createCompressor(compression), file, target).catch((error: unknown) => {
    throw session.sanitizeError(error);
  });
  return {
    name,
    columns: [...columns],
    rows: source.rowCount,
    content: content.digest(),
    file: file.digest(),
    sequence: await readSequence(session, table),
  };
}

/** Snapshots do not cover sequences: the last value is read after the table, so that no copied row has a higher one. */
async function readSequence(session: Session, { name, sequenceColumn: column }: TableSchema): Promise<BackedUpTable["sequence"]> {
  if (column === null) return null;
  const [owned] = await session.query<{ sequence: string }>(
    "SELECT c.relname::text AS sequence FROM pg_class c WHERE c.oid = pg_get_serial_sequence($1, $2)::regclass",
    [`public.${name}`, column],
  );
  if (owned === undefined) throw new BackupError(`Column ${column} of table ${name} has no sequence.`);
  const [row] = await session.query<{ lastValue: string; isCalled: boolean }>(
    sql`SELECT last_value::text AS "lastValue", is_called AS "isCalled" FROM ${identifier(`public.${owned.sequence}`)}`,
  );
  if (row === undefined)
    throw new BackupError(`Sequence ${owned.sequence} returned no row: it may be damaged, or replaced by another relation.`);
  return { column, ...row };
}
