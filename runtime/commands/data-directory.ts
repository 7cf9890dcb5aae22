import { mkdirSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError } from "./command-error.ts";

/** PostgreSQL limits paths to 1,024 bytes (MAXPGPATH in pg_config_manual.h), and its files have longer paths than the directory. */
const maxBytes = 900;
const shownLength = 120;

/** Creates the data directory if it is missing, and checks that it can be written to. @throws {CommandError} */
export function prepareDataDirectory(folder: string): void {
  const reason = problemOf(folder);
  if (reason === null) return;
  const shown = folder.length > shownLength ? `${folder.slice(0, shownLength)}…` : folder;
  throw new CommandError(
    `The data directory ${shown} cannot be used: ${reason}. Set ASHLAR_DATA_DIR (or dataDirectory in ashlar.yaml) to a directory that this user may write to.`,
  );
}

function problemOf(folder: string): string | null {
  const bytes = Buffer.byteLength(folder);
  if (bytes > maxBytes) return `its path has ${bytes} bytes; the maximum is ${maxBytes}`;
  try {
    create(folder);
    if (!statSync(folder).isDirectory()) return "it is not a directory";
    // Checking permissions is not enough: root has them everywhere, and some file systems reject new entries.
    rmdirSync(mkdtempSync(join(folder, ".writable-")));
    return null;
  } catch (error) {
    const { code, path } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM") return `this user may not write to ${path === undefined ? folder : dirname(path)} (${code})`;
    if (code === "EROFS") return "its file system is read-only (EROFS)";
    if (code === "ENOTDIR") return "a part of its path is a file (ENOTDIR)";
    return `nothing can be created in it (${code ?? "unknown reason"})`;
  }
}

/** Creates a folder and its parents one by one: Node.js 20's recursive mkdir never returns if the file system rejects new folders with ENOENT (/proc). */
function create(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false }) !== undefined) return;
  if (dirname(folder) !== folder) create(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in the meantime.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
