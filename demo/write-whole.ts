import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** Writes a file so that its name never shows half of it: a kill leaves the older content. */
export const writeWhole = async (path: string, content: string | Uint8Array): Promise<void> => {
  const draft = `${path}.${randomBytes(4).toString("hex")}.draft`;
  try {
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
