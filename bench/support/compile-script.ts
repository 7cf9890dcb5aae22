import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");

/** Compiles one script; see `compileScripts`. */
export function compileScript(script: URL, folder: string): URL {
  const [compiled] = compileScripts([script], folder);
  if (compiled === undefined) throw new Error(`The compiler returned no script for ${script.href}.`);
  return compiled;
}

/**
 * Compiles scripts and their imports as the package build does, and returns the URLs of the compiled scripts. An installed package runs compiled
 * code, whereas the TypeScript loader wraps every named function.
 */
export function compileScripts(scripts: readonly URL[], folder: string): URL[] {
  const files = scripts.map((script) => fileURLToPath(script));
  mkdirSync(folder, { recursive: true });
  const compilerOptions = { noEmit: false, incremental: false, noCheck: true, outDir: folder, rootDir: root, types: [] };
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files }));
  execFileSync(process.execPath, [compiler, "-p", config], { stdio: "inherit" });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return files.map((path) => pathToFileURL(join(folder, path.slice(root.length).replace(/\.ts$/, ".js"))));
}
