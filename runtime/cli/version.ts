import { readFileSync } from "node:fs";

/** The version of this program. */
export const readVersion = (): string => {
  const manifest = new URL(import.meta.url.includes("/dist/") ? "../../../package.json" : "../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
};
