import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folders = ["../story/", "../chapters/", "../contracts/"];

/** Returns a version that changes with the source files of the story; a saved chain of another version is rebuilt. */
export const storyVersion = (): string => {
  const hash = createHash("sha256");
  for (const folder of folders) {
    const path = fileURLToPath(new URL(folder, import.meta.url));
    for (const name of readdirSync(path).sort())
      hash
        .update(name)
        .update("\0")
        .update(readFileSync(join(path, name)))
        .update("\0");
  }
  return `1.${hash.digest("hex").slice(0, 12)}`;
};
