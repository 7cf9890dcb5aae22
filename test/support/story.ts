import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DemoUnavailable } from "../../demo/errors.ts";
import { adoptOrphan } from "../../demo/node/orphan.ts";
import { claimFolder } from "../../demo/node/owner.ts";
import { endProcess } from "../../demo/node/processes.ts";
import { readNodeRecord } from "../../demo/node/record.ts";
import { startDemo } from "../../demo/start-demo.ts";
import { demoFiles } from "../../demo/state.ts";
import { storyVersion } from "../../demo/story/version.ts";
import type { Demo } from "../../demo/types.ts";
import { cacheRoot, contractsDirectory } from "./cache.ts";

const folderPrefix = "ashlar-story-";
const waitMilliseconds = 240_000;

/** When the story of all tests ends: noon of a day, so that its first and last day are whole ones inside. */
export const storyEndTime = Date.UTC(2025, 9, 31, 12) / 1000;

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const build = async (prefix: string, finished: string): Promise<void> => {
  const outdated = (await readdir(cacheRoot)).filter((name) => name.startsWith("ashlar-story-") && !name.endsWith(".lock"));
  await Promise.all(outdated.map((name) => rm(join(cacheRoot, name), { recursive: true, force: true })));
  const draft = await mkdtemp(`${prefix}.draft-`);
  const demo = await startDemo({ dataDirectory: draft, endTime: storyEndTime, contractsDirectory });
  await demo.stop();
  await rename(draft, finished);
};

/** The folder with the told story; the first test to ask tells it, the others wait. */
const ensureStory = async (): Promise<string> => {
  await mkdir(cacheRoot, { recursive: true });
  const finished = join(cacheRoot, `ashlar-story-${storyVersion()}`);
  for (const deadline = Date.now() + waitMilliseconds; Date.now() < deadline; await wait(200)) {
    if (await exists(finished)) return finished;
    const letGo = await claimFolder(`${finished}.lock`, finished).catch((error: unknown) => {
      if (error instanceof DemoUnavailable) return null;
      throw error;
    });
    if (letGo === null) continue;
    try {
      if (!(await exists(finished))) await build(finished, finished);
    } finally {
      await letGo();
    }
  }
  throw new Error("The story of the tests was not told in time.");
};

/** Ends the nodes of tests that were killed before they could, and removes their folders. */
const sweep = async (): Promise<void> => {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(folderPrefix));
  for (const folder of names.map((name) => join(tmpdir(), name))) {
    const files = demoFiles(join(folder, "demo"));
    // Without an owner's mark somebody is just filling it.
    if (!(await exists(files.owner))) continue;
    const letGo = await claimFolder(files.owner, folder).catch(() => null);
    if (letGo === null) continue;
    const record = await readNodeRecord(files.node);
    const left = record === null ? null : await adoptOrphan(record, files.cache);
    await left?.client.close();
    if (left !== null) await endProcess(left.mark);
    await rm(folder, { recursive: true, force: true });
  }
};

/** The told story on a node of the test's own, which it may change as it likes; stopping it removes everything. */
export const startStory = async (options: { readonly rpcPort?: number } = {}): Promise<Demo> => {
  const kept = await ensureStory();
  await sweep();
  const dataDirectory = await mkdtemp(join(tmpdir(), folderPrefix));
  await cp(kept, dataDirectory, { recursive: true });
  const demo = await startDemo({ dataDirectory, endTime: storyEndTime, contractsDirectory, ...options });
  return {
    ...demo,
    stop: async () => {
      await demo.discardState();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
};
