import { constants, existsSync } from "node:fs";
import { type FileHandle, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { BackupError } from "./backup-error.ts";
import { fileExtensions } from "./compression.ts";
import { sha256Of } from "./digest.ts";

/** The version of the backup layout. */
const format = 1;
const manifestName = "manifest.json";
const checksumName = "manifest.json.sha256";
/** 1,000 tables of 50 columns take 3 MB. */
const maxManifestBytes = 16 * 1024 * 1024;

/** Table and column names, which contain neither paths nor quotes. */
const name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const size = z.int().nonnegative();

const table = z.strictObject({
  name,
  columns: z
    .array(z.strictObject({ name, type: z.string().max(100) }))
    .min(1)
    .max(500),
  rows: size,
  /** The rows as COPY writes them. */
  content: z.strictObject({ bytes: size, sha256 }),
  /** The compressed file, named after the table. */
  file: z.strictObject({ bytes: size, sha256 }),
  sequence: z.strictObject({ column: name, lastValue: z.string().regex(/^-?\d{1,19}$/), isCalled: z.boolean() }).nullable(),
});

/** A snapshot's chain. */
const chain = z.strictObject({
  id: z.int().positive(),
  name: z.string().min(1).max(100),
  genesisHash: z.string().regex(/^0x[0-9a-f]{64}$/),
  /** The first and the last indexed block; the last one is null if there is none. */
  from: size,
  head: size.nullable(),
});

const manifest = z.strictObject({
  format: z.literal(format),
  createdAt: z.iso.datetime(),
  version: z.string().max(100),
  postgresql: z.string().max(200),
  compression: z.enum(["gzip", "zstd"]),
  migrations: z
    .array(z.string().regex(/^\d{4}-[a-z0-9-]{1,80}$/))
    .min(1)
    .max(10_000),
  protocols: z
    .array(z.strictObject({ id: z.string().regex(/^[a-z][a-z0-9_]{0,40}$/), fingerprint: sha256, tables: z.array(name).max(500) }))
    .max(1_000),
  tables: z.array(table).max(5_000),
  /** Present only in a snapshot of one chain. */
  chain: chain.optional(),
});

/** Describes a backup. */
export type Manifest = z.output<typeof manifest>;
/** Describes a snapshot: a backup of one chain. */
export type SnapshotManifest = Manifest & { readonly chain: z.output<typeof chain> };
/** A table in a backup. */
export type BackedUpTable = Manifest["tables"][number];

/** A manifest, and its SHA-256, which identifies the backup. */
export interface LoadedManifest {
  readonly manifest: Manifest;
  readonly sha256: string;
}

/** The format that this program writes. */
export const currentFormat: Manifest["format"] = format;

/** The path of a table's file in a backup folder. */
export const fileOf = (tableName: string, { compression }: Pick<Manifest, "compression">): string =>
  `${tableName}.copy${fileExtensions[compression]}`;

/** Writes the manifest and its checksum in the format of sha256sum. Its presence completes the backup, so it is renamed into place last. */
export async function writeManifest(folder: string, value: Manifest): Promise<void> {
  const text = `${JSON.stringify(manifest.parse(value), null, 1)}\n`;
  const temporary = join(folder, `${manifestName}.unfinished`);
  await writeFile(join(folder, checksumName), `${sha256Of(text)}  ${manifestName}\n`, { mode: 0o600, flush: true });
  await writeFile(temporary, text, { mode: 0o600, flush: true });
  await rename(temporary, join(folder, manifestName));
}

/** Whether a folder has a backup manifest. */
export const hasManifest = (folder: string): boolean => existsSync(join(folder, manifestName));

/** Reads and checks a manifest, which is untrusted input. @throws {BackupError} */
export async function readManifest(folder: string): Promise<LoadedManifest> {
  const text = await readSmallFile(folder, manifestName, maxManifestBytes);
  const checksum = await readSmallFile(folder, checksumName, 200);
  const hash = sha256Of(text);
  if (!checksum.startsWith(`${hash} `))
    throw new BackupError(`The backup is damaged: the SHA-256 of ${manifestName} differs from ${checksumName}.`);
  const parsed = manifest.safeParse(parseJson(text));
  if (!parsed.success) throw new BackupError(`Invalid ${manifestName}: ${z.prettifyError(parsed.error)}`);
  const names = parsed.data.tables.map((each) => each.name);
  const duplicate = names.find((each, index) => names.indexOf(each) !== index);
  if (duplicate !== undefined) throw new BackupError(`Invalid ${manifestName}: duplicate table ${duplicate}.`);
  return { manifest: parsed.data, sha256: hash };
}

/** Opens a regular backup file for reading; a symbolic link could lead out of the folder. @throws {BackupError} */
export async function openBackupFile(folder: string, file: string): Promise<FileHandle> {
  const handle = await open(join(folder, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" && file === manifestName)
        throw new BackupError(`No complete backup found in ${folder}: ${manifestName} is missing.`);
      throw new BackupError(`The backup is damaged: ${file} cannot be opened (${code ?? "unknown reason"}).`);
    },
  );
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new BackupError(`The backup is damaged: ${file} is not a regular file.`);
}

async function readSmallFile(folder: string, file: string, maxBytes: number): Promise<string> {
  const handle = await openBackupFile(folder, file);
  try {
    const { size: bytes } = await handle.stat();
    if (bytes > maxBytes) throw new BackupError(`Invalid ${file}: ${bytes} bytes, expected at most ${maxBytes}.`);
    return await handle.readFile("utf8");
  } finally {
    await handle.close();
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new BackupError(`Invalid ${manifestName}: not JSON.`);
  }
}
