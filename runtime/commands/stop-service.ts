import type { Serving } from "./serving.ts";
import type { Shutdown } from "./shutdown.ts";

/** The server's own bound for requests is 10 s; what they cost is entered after it. */
const serverMilliseconds = 12_000;
const indexerMilliseconds = 15_000;
const demoMilliseconds = 30_000;
/** What a server's shutdown, then its quick shutdown, and then its end take at most, after connections were waited for. */
const databaseMilliseconds = 32_000;

/** Waits for the parts of a service, each for a bounded time; the database, which the others use, comes last. */
export const stopService = ({ waitFor }: Shutdown) => ({
  server: (serving: Serving): Promise<void> => {
    const requests = serving.requests();
    return waitFor(`the server, with ${requests} ${requests === 1 ? "request" : "requests"} in flight`, serving.stop(), serverMilliseconds);
  },
  indexer: (indexing: Promise<unknown>): Promise<void> => waitFor("the batch that the indexer writes", indexing, indexerMilliseconds),
  database: (database: { close(): Promise<void> }): Promise<void> => waitFor("PostgreSQL", database.close(), databaseMilliseconds),
  demo: (demo: { stop(): Promise<void> }): Promise<void> => waitFor("the demo's node, whose chain is saved", demo.stop(), demoMilliseconds),
});
