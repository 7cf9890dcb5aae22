import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { watchCatalog } from "../../../../generator/output/watch.ts";
import { withFolder, writeTextFile } from "../../../support/generator/output/folders.ts";

describe("watchCatalog", () => {
  it("runs once after simultaneous changes, ignores the schema that a run writes, and ends when the signal is aborted", () =>
    withFolder(async (root) => {
      await writeTextFile(root, "spec/service.yaml", "a");
      const stop = new AbortController();
      let runs = 0;
      const watching = watchCatalog(root, stop.signal, async () => {
        runs += 1;
      });
      // Changes before the watcher is ready are lost: repeat one until it is detected.
      while (runs === 0) {
        await writeTextFile(root, "spec/service.yaml", `${Math.random()}`);
        await wait(300);
      }
      await wait(500);
      const before = runs;
      await writeTextFile(root, "spec/catalog.schema.json", "{}");
      await wait(500);
      expect(runs).toBe(before);
      await Promise.all(["a", "b", "c"].map((name) => writeTextFile(root, `spec/objects-${name}.yaml`, name)));
      await expect.poll(() => runs, { timeout: 5000 }).toBe(before + 1);
      await wait(300);
      expect(runs).toBe(before + 1);
      stop.abort();
      await watching;
    }));

  it("ends immediately if the signal is already aborted", async () => {
    await withFolder(async (root) => {
      await expect(watchCatalog(root, AbortSignal.abort(), async () => {})).resolves.toBeUndefined();
    });
  });
});
