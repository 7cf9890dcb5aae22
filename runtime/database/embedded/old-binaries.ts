import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { addLinks, type Binaries, binariesFolderName, findBinaries, packageName, systemCaches } from "./binaries.ts";
import { type OsUser, spawnOptionsAs } from "./os-user.ts";
import type { EmbeddedPaths } from "./paths.ts";
import { EmbeddedUnavailable } from "./unavailable.ts";

/** Where Debian installs a major version's programs. */
const debianFolder = "/usr/lib/postgresql";

/**
 * Finds the programs of an older PostgreSQL major version: in a folder that the operator names (an Ashlar or PostgreSQL installation, or its bin),
 * otherwise among the copies that an older Ashlar version has made, and where Debian installs them. @throws {EmbeddedUnavailable} if there are none
 */
export function findOldBinaries(paths: EmbeddedPaths, osUser: OsUser, major: string, folder: string | undefined): Binaries {
  const searched = folder === undefined ? copiesOf(paths, major) : [folder, join(folder, "native"), dirname(folder), packageIn(folder)];
  const found = searched
    .filter((location) => existsSync(programOf(location)))
    .map((location) => ({ location, version: versionOf(location, osUser) }));
  const match = found.find(({ version }) => version.split(".")[0] === major);
  if (match !== undefined) return findBinaries(paths, osUser, { folder: match.location, version: match.version, caches: systemCaches });
  const [other] = found;
  const where =
    folder === undefined
      ? "no programs of that version were found"
      : other === undefined
        ? `${folder} has no programs of PostgreSQL`
        : `${folder} has PostgreSQL ${other.version || "of an unknown version"}`;
  throw new EmbeddedUnavailable(
    `upgrading ${paths.cluster} needs the programs of PostgreSQL ${major}, but ${where}: pass --programs with the folder of the previous Ashlar installation, or of PostgreSQL ${major} (for example ${debianFolder}/${major})`,
  );
}

const programOf = (folder: string): string => join(folder, "bin", process.platform === "win32" ? "postgres.exe" : "postgres");
const packageIn = (folder: string): string => join(folder, "node_modules", packageName, "native");

const copiesOf = ({ root }: EmbeddedPaths, major: string): string[] => [
  ...[root, ...systemCaches].flatMap((base) =>
    (existsSync(base) ? readdirSync(base) : [])
      .filter((name) => name.startsWith(binariesFolderName(`${major}.`)))
      .map((name) => join(base, name)),
  ),
  join(debianFolder, major),
];

/** The programs' version; empty if the user cannot run them. */
function versionOf(folder: string, osUser: OsUser): string {
  addLinks(folder);
  const { stdout } = spawnSync(programOf(folder), ["--version"], {
    ...spawnOptionsAs(osUser),
    cwd: "/",
    encoding: "utf8",
    timeout: 10_000,
  });
  return /\(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(stdout ?? "")?.[1] ?? "";
}
