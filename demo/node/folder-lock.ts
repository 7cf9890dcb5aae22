import { open, readFile, rm } from "node:fs/promises";
import { demoBusy } from "../errors.ts";
import { inspectProcess, isRunning, type ProcessHandle } from "./processes.ts";

const readOwner = async (path: string): Promise<ProcessHandle | null> => {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessHandle;
  } catch {
    return null;
  }
};

/** Locks a folder for this process and returns the function that releases it. @throws {DemoUnavailable} if another process holds the lock. */
export const lockFolder = async (path: string, dataDirectory: string): Promise<() => Promise<void>> => {
  const owner = await readOwner(path);
  if (owner !== null && (await isRunning(owner))) throw demoBusy(owner.processId, dataDirectory);
  await rm(path, { force: true });
  const info = await inspectProcess(process.pid);
  try {
    // "wx" fails if another process has created the file first.
    const file = await open(path, "wx");
    await file.writeFile(JSON.stringify({ processId: process.pid, startedAt: info?.startedAt ?? "" } satisfies ProcessHandle));
    await file.close();
  } catch (error) {
    const newOwner = await readOwner(path);
    throw newOwner === null ? error : demoBusy(newOwner.processId, dataDirectory);
  }
  return () => rm(path, { force: true });
};
