import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const repositoryRoot = fileURLToPath(new URL("../../../", import.meta.url));

/** Whether the repository's history contains a commit; a shallow clone or a package may lack it. */
export const hasCommit = (commit: string): Promise<boolean> =>
  run("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: repositoryRoot }).then(
    () => true,
    () => false,
  );

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;

/** Whether the installed packages have the versions that another version's sources require. */
async function sharesPackages(folder: string): Promise<boolean> {
  const [old, current] = await Promise.all([manifestOf(folder), manifestOf(repositoryRoot)]);
  const isSame = ([name, version]: [string, string]) => (current.dependencies[name] ?? current.devDependencies[name]) === version;
  return Object.entries(old.dependencies).every(isSame) && old.devDependencies.tsx === current.devDependencies.tsx;
}

/** Checks out a commit into a folder, installs its packages, and returns its command's path. */
export async function checkOut(commit: string, folder: string): Promise<string> {
  await mkdir(folder);
  const archive = join(folder, "..", `${commit}.tar`);
  await run("git", ["archive", "--output", archive, commit], { cwd: repositoryRoot });
  await run("tar", ["-xf", archive, "-C", folder]);
  if (await sharesPackages(folder)) await symlink(join(repositoryRoot, "node_modules"), join(folder, "node_modules"));
  else await run("npm", ["ci"], { cwd: folder });
  return join(folder, "bin/ashlar.js");
}

/** Runs a version's command and returns its output. @throws {Error} if it fails. */
export async function runCommand(entry: string, args: readonly string[], databaseUrl: string): Promise<string> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`ashlar ${args.join(" ")} exited with code ${code}: ${output}`);
  return output;
}
