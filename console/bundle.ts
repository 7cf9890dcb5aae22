import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Bundles the console's pages and all packages that they use into a page, a script and a style sheet. */
export async function bundleConsole(): Promise<(readonly [name: string, text: string])[]> {
  const { outputFiles } = await build({
    absWorkingDir: folder,
    entryPoints: { console: "main.tsx" },
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "inline",
    logLevel: "error",
  });
  const copied = await Promise.all(
    ["index.html", "icon.svg"].map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const),
  );
  return [...copied, ...outputFiles.map(({ path, text }) => [basename(path), text] as const)];
}

/** Writes the files of `bundleConsole` into a folder. */
export async function writeConsole(output: string): Promise<void> {
  await mkdir(output, { recursive: true });
  for (const [name, text] of await bundleConsole()) await writeFile(join(output, name), text);
}
