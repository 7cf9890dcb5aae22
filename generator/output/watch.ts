import { join } from "node:path";
import { watch } from "chokidar";

const schemaFile = "catalog.schema.json";
/** Debounces changes: editors save in several steps. */
const quietMilliseconds = 100;

/** Calls `run` after each change of the catalog, one run at a time, until the signal ends it. Resolves when the last run is over. */
export async function watchCatalog(root: string, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  const folder = join(root, "spec");
  // Each run writes the schema of the catalog.
  const watcher = watch(folder, { ignoreInitial: true, ignored: (path) => path.endsWith(schemaFile) || path.endsWith(".tmp") });
  let timer: NodeJS.Timeout | undefined;
  let last = Promise.resolve();
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      last = last.then(run);
    }, quietMilliseconds);
  };
  watcher.on("all", schedule);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  clearTimeout(timer);
  await watcher.close();
  await last;
}
