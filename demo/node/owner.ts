import { open, readFile, rm } from "node:fs/promises";
import { demoBusy } from "../errors.ts";
import { inspectProcess, type ProcessMark, stillRuns } from "./processes.ts";

const readOwner = async (path: string): Promise<ProcessMark | null> => {
  try {
    return JSON.parse(await readFile(path, "utf8")) as ProcessMark;
  } catch {
    return null;
  }
};

/** Makes this process the only one that runs the demo in a folder; returns the function that releases it. @throws {DemoUnavailable} another one does */
export const claimFolder = async (path: string, dataDirectory: string): Promise<() => Promise<void>> => {
  const owner = await readOwner(path);
  if (owner !== null && (await stillRuns(owner))) throw demoBusy(owner.processId, dataDirectory);
  await rm(path, { force: true });
  const facts = await inspectProcess(process.pid);
  try {
    // "wx" fails if another process was first.
    const file = await open(path, "wx");
    await file.writeFile(JSON.stringify({ processId: process.pid, startedAt: facts?.startedAt ?? "" } satisfies ProcessMark));
    await file.close();
  } catch (error) {
    const quicker = await readOwner(path);
    throw quicker === null ? error : demoBusy(quicker.processId, dataDirectory);
  }
  return () => rm(path, { force: true });
};
