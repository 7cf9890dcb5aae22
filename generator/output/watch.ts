import { join } from "node:path";
import { watch } from "chokidar";

const schemaFile = "catalog.schema.json";
/** Changes are debounced, because editors save in several steps. */
const debounceMilliseconds = 100;

/** Calls `run` after each change of the catalog, one run at a time, until the signal aborts. Resolves when the last run has ended. */
export async function watchCatalog(root: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  const folder = join(root, "spec");
  // Each run writes the schema of the catalog, which must not start another run.
  const watcher = watch(folder, { ignoreInitial: true, ignored: (path) => path.endsWith(schemaFile) || path.endsWith(".tmp") });
  let timer: NodeJS.Timeout | undefined;
  let lastRun = Promise.resolve();
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      lastRun = lastRun.then(run);
    }, debounceMilliseconds);
  };
  watcher.on("all", schedule);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  clearTimeout(timer);
  await watcher.close();
  await lastRun;
}
