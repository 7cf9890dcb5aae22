import { readdirSync, readFileSync } from "node:fs";
import { generatedHeader } from "./header.ts";

const folder = new URL("../bundle/", import.meta.url);

/** Copies of the library code in `generator/bundle/`, by path; read once, like the templates. */
export const bundledFiles: ReadonlyMap<string, string> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".ts"))
    .sort()
    .map((file) => [`generated/${file.replace(/\.ts$/, ".gen.ts")}`, renderCopy(file)]),
);

function renderCopy(file: string): string {
  const source = readFileSync(new URL(file, folder), "utf8").replace(/(?<=from "\.\/[a-z-]+)\.ts(?=";)/g, ".gen.ts");
  return `// ${generatedHeader(`generator/bundle/${file}`)}\n\n${source}`;
}
