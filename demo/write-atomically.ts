import { randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** Writes a file atomically: if the process is killed, the older content remains. */
export const writeAtomically = async (path: string, content: string | Uint8Array): Promise<void> => {
  const draft = `${path}.${randomBytes(4).toString("hex")}.draft`;
  try {
    await writeFile(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
};
