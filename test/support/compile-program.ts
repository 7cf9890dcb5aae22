import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { writeConsole } from "../../console/bundle.ts";
import { cacheRoot } from "./cache.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The compiled program's entry point, which tests start as a process. */
    readonly program: string;
  }
}

const repositoryRoot = fileURLToPath(new URL("../../", import.meta.url));
const folders = ["runtime", "generated", "demo"];
/** The modules that are started as processes, or loaded by their path. */
const entryPoints = ["runtime/cli.ts", "runtime/commands/service/worker.ts", "runtime/commands/service/indexer.ts", "demo/index.ts"];
/** Packages with hundreds of modules each, which account for most of the startup time. */
const bundledPackages = /^(viem|zod)(\/|$)/;

/** Bundles the largest packages with their dependencies, and leaves all others to be resolved at run time. */
const bundleLargePackages: Plugin = {
  name: "bundle-large-packages",
  setup: (compiler) =>
    compiler.onResolve({ filter: /^[^./]/ }, ({ path, resolveDir, kind }) =>
      kind === "entry-point" || bundledPackages.test(path) || resolveDir.includes("node_modules") ? undefined : { path, external: true },
    ),
};

/** Keeps the `import.meta.url` that each module would have without bundling: modules find files relative to it. */
const keepLocations = (output: string): Plugin => ({
  name: "keep-locations",
  setup: (compiler) =>
    compiler.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const location = pathToFileURL(join(output, relative(repositoryRoot, path).replace(/\.ts$/, ".js"))).href;
      return { contents: (await readFile(path, "utf8")).replaceAll("import.meta.url", JSON.stringify(location)), loader: "ts" };
    }),
});

/**
 * Compiles the program with the demo, laid out as an installed package, and returns its entry point. `bin/ashlar.js` runs the compiled files because there are
 * no sources next to it. Starting a process takes 0.6 s of CPU time with the bundled program, 1 s with separate modules, and 2.5 s with the sources; the
 * installed package's test runs separate modules.
 */
export async function compileProgram(): Promise<{ readonly entry: string; remove(): Promise<void> }> {
  // Below node_modules, so that its packages are resolved.
  await mkdir(cacheRoot, { recursive: true });
  const folder = await mkdtemp(join(cacheRoot, "ashlar-program-"));
  const output = join(folder, "dist");
  const names = (await Promise.all(folders.map((name) => readdir(join(repositoryRoot, name), { recursive: true })))).flatMap(
    (found, index) => found.map((name) => `${folders[index]}/${name}`),
  );
  // The demo story's version is a hash of its sources.
  const assets = names.filter((name) => /\.(json|js|sol|md|css|yaml)$/.test(name) || /^demo\/(story|chapters|contracts)\//.test(name));
  await Promise.all([
    build({
      absWorkingDir: repositoryRoot,
      entryPoints,
      outdir: output,
      outbase: repositoryRoot,
      bundle: true,
      splitting: true,
      chunkNames: "chunks/[hash]",
      plugins: [bundleLargePackages, keepLocations(output)],
      format: "esm",
      platform: "node",
      target: "node20",
      logLevel: "error",
    }),
    writeConsole(join(output, "console", "assets")),
    ...assets.map((name) => cp(join(repositoryRoot, name), join(output, name))),
    ...["bin", "package.json"].map((name) => cp(join(repositoryRoot, name), join(folder, name), { recursive: true })),
  ]);
  return { entry: join(folder, "bin", "ashlar.js"), remove: () => rm(folder, { recursive: true, force: true }) };
}
