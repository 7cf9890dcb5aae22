import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const compiler = createRequire(import.meta.url).resolve("typescript/bin/tsc");

/**
 * Compiles a script and its imports like the package build does, and returns the URL of the compiled script. An installed package runs compiled code; the
 * TypeScript loader wraps every named function.
 */
export function compileScript(script: URL, folder: string): URL {
  const path = fileURLToPath(script);
  mkdirSync(folder, { recursive: true });
  const compilerOptions = { noEmit: false, incremental: false, noCheck: true, outDir: folder, rootDir: root, types: [] };
  const config = join(folder, "tsconfig.json");
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.json"), compilerOptions, include: [], files: [path] }));
  execFileSync(process.execPath, [compiler, "-p", config], { stdio: "inherit" });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return pathToFileURL(join(folder, path.slice(root.length).replace(/\.ts$/, ".js")));
}
