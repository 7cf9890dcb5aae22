import { cp, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { cacheRoot } from "./cache.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The entry point of the compiled program, which tests start as a process. */
    readonly program: string;
  }
}

const repositoryRoot = fileURLToPath(new URL("../../", import.meta.url));
const folders = ["runtime", "generated", "demo"];

/** Keeps each module separate: its imports remain, with the extension of the compiled file. */
const keepModules: Plugin = {
  name: "keep-modules",
  setup: (compiler) =>
    compiler.onResolve({ filter: /^\.{1,2}\// }, ({ path, kind }) =>
      kind === "entry-point" ? undefined : { path: path.replace(/\.ts$/, ".js"), external: true },
    ),
};

/**
 * Compiles the program with the demo, laid out as an installed package, and returns its entry point. A process that runs the sources takes 1.5 s more
 * CPU time to start. `bin/ashlar.js` runs the compiled files because no sources are next to it.
 */
export async function compileProgram(): Promise<{ readonly entry: string; remove(): Promise<void> }> {
  // Below node_modules, so that its packages are resolved.
  await mkdir(cacheRoot, { recursive: true });
  const folder = await mkdtemp(join(cacheRoot, "ashlar-program-"));
  const names = (await Promise.all(folders.map((name) => readdir(join(repositoryRoot, name), { recursive: true })))).flatMap(
    (found, index) => found.map((name) => `${folders[index]}/${name}`),
  );
  const sources = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"));
  const assets = names.filter((name) => /\.(json|js|sol|md|css|yaml)$/.test(name));
  await Promise.all([
    build({
      absWorkingDir: repositoryRoot,
      entryPoints: sources,
      outdir: join(folder, "dist"),
      outbase: repositoryRoot,
      bundle: true,
      packages: "external",
      plugins: [keepModules],
      format: "esm",
      platform: "node",
      target: "node20",
      logLevel: "error",
    }),
    ...assets.map((name) => cp(join(repositoryRoot, name), join(folder, "dist", name))),
    ...["bin", "package.json"].map((name) => cp(join(repositoryRoot, name), join(folder, name), { recursive: true })),
  ]);
  return { entry: join(folder, "bin", "ashlar.js"), remove: () => rm(folder, { recursive: true, force: true }) };
}
