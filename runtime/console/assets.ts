import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** One of the pages' files. */
export interface Asset {
  readonly contentType: string;
  readonly body: string;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** The page itself is served at /console/, so its path is empty. */
const pathOf = (name: string): string => (name === "index.html" ? "" : name);

const toAssets = (files: readonly (readonly [name: string, text: string])[]): ReadonlyMap<string, Asset> =>
  new Map(files.map(([name, body]) => [pathOf(name), { contentType: types[name.split(".").at(-1) ?? ""] ?? "text/plain", body }]));

/** The pages' files by path, from the build or, in a clone, bundled from the sources. */
export async function loadAssets(): Promise<ReadonlyMap<string, Asset>> {
  const folder = fileURLToPath(new URL("../../console/assets/", import.meta.url));
  if (existsSync(folder)) {
    const names = await readdir(folder);
    return toAssets(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const)));
  }
  // Imported dynamically, because it needs development dependencies.
  const bundle = new URL("../../console/bundle.ts", import.meta.url);
  const { bundleConsole } = (await import(bundle.href)) as { bundleConsole: () => Promise<(readonly [string, string])[]> };
  return toAssets(await bundleConsole());
}
