// Creates the production build: compiled sources and the generated files that are not TypeScript.
import { execFileSync } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tsImport } from "tsx/esm/api";

const copiedFiles = ["validators.gen.js", "validators.gen.d.ts", "openapi.json", "protocol.schema.json", "reference.md"];

rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [createRequire(import.meta.url).resolve("typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  stdio: "inherit",
});
for (const name of copiedFiles) copyFileSync(`generated/${name}`, `dist/generated/${name}`);
// The console's pages are bundled with the packages that they use.
const { writeConsole } = await tsImport("../console/bundle.ts", import.meta.url);
await writeConsole("dist/console/assets");
