import { cp, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DemoUnavailable } from "../../demo/errors.ts";
import { lockFolder } from "../../demo/node/folder-lock.ts";
import { adoptOrphan } from "../../demo/node/orphan.ts";
import { stopProcess } from "../../demo/node/processes.ts";
import { readNodeRecord } from "../../demo/node/record.ts";
import { startDemo } from "../../demo/start-demo.ts";
import { demoFiles } from "../../demo/state.ts";
import { storyVersion } from "../../demo/story/version.ts";
import type { Demo } from "../../demo/types.ts";
import { cacheRoot } from "./cache.ts";
import { scaleTimeLimit } from "./scale-time-limit.ts";

const folderPrefix = "ashlar-story-";
const waitMilliseconds = 240_000;

/** The end time of the tests' story: noon, which makes its first and last day incomplete. */
export const storyEndTime = Date.UTC(2025, 9, 31, 12) / 1000;

/** The scale of the short story, for tests that do not depend on the length. */
export const shortScale = 0.02;

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Removes other versions' stories and killed builds' drafts, and builds a story. */
const build = async (finished: string, scale: number): Promise<void> => {
  const isOutdated = (name: string): boolean =>
    name.startsWith("ashlar-story-") &&
    !name.endsWith(".lock") &&
    (!name.startsWith(`ashlar-story-${storyVersion()}`) || name.startsWith(`${basename(finished)}.draft-`));
  const outdated = (await readdir(cacheRoot)).filter(isOutdated);
  await Promise.all(outdated.map((name) => rm(join(cacheRoot, name), { recursive: true, force: true })));
  const draft = await mkdtemp(`${finished}.draft-`);
  const demo = await startDemo({ dataDirectory: draft, endTime: storyEndTime, scale });
  await demo.stop();
  await rename(draft, finished);
};

/** Returns a built story's folder. The first process that needs it builds it; others wait for it. */
const ensureStory = async (scale: number): Promise<string> => {
  await mkdir(cacheRoot, { recursive: true });
  const finished = join(cacheRoot, `ashlar-story-${storyVersion()}-${scale}`);
  for (const end = Date.now() + scaleTimeLimit(waitMilliseconds); Date.now() < end; await wait(200)) {
    if (await exists(finished)) return finished;
    const release = await lockFolder(`${finished}.lock`, finished).catch((error: unknown) => {
      if (error instanceof DemoUnavailable) return null;
      throw error;
    });
    if (release === null) continue;
    try {
      if (!(await exists(finished))) await build(finished, scale);
    } finally {
      await release();
    }
  }
  throw new Error(`Story not built within ${scaleTimeLimit(waitMilliseconds) / 1000} s`);
};

/** Stops killed test processes' nodes and removes their folders. */
const removeOrphans = async (): Promise<void> => {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(folderPrefix));
  for (const folder of names.map((name) => join(tmpdir(), name))) {
    const files = demoFiles(join(folder, "demo"));
    // A folder without an owner file is still being filled.
    if (!(await exists(files.owner))) continue;
    const release = await lockFolder(files.owner, folder).catch(() => null);
    if (release === null) continue;
    const record = await readNodeRecord(files.node);
    const orphan = record === null ? null : await adoptOrphan(record, files.cache);
    await orphan?.client.close();
    if (orphan !== null) await stopProcess(orphan.handle);
    await rm(folder, { recursive: true, force: true });
  }
};

/** Starts a node with a copy of the built story, which the test may change. Stopping it removes the copy. */
export const startStory = async (options: { readonly rpcPort?: number } = {}): Promise<Demo> => {
  const built = await ensureStory(1);
  await removeOrphans();
  const dataDirectory = await mkdtemp(join(tmpdir(), folderPrefix));
  await cp(built, dataDirectory, { recursive: true });
  const demo = await startDemo({ dataDirectory, endTime: storyEndTime, ...options });
  return {
    ...demo,
    stop: async () => {
      await demo.discardState();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
};

/** Copies the saved short story into an empty data directory. A demo with its scale and end time loads it, which is faster than building it. */
export const copyShortStory = async (dataDirectory: string): Promise<void> => {
  await cp(await ensureStory(shortScale), dataDirectory, { recursive: true });
};
