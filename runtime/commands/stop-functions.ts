import { sleep } from "../lib/async.ts";
import type { ApiServer } from "./api-server.ts";
import type { Shutdown } from "./shutdown.ts";

/** The server waits up to 10 s for requests in flight, and stores their credits after that. */
const serverMilliseconds = 12_000;
/** The time to count the requests in flight, for the log. */
const countMilliseconds = 1_000;
const indexerMilliseconds = 15_000;
const demoMilliseconds = 30_000;
/** The sum of the time limits for open connections (5 s) and for the server's fast shutdown, immediate shutdown and SIGKILL (15 s, 5 s and 5 s). */
const databaseMilliseconds = 32_000;

/** Functions that wait until a part of a service has stopped, for a limited time. The database is stopped last, because the other parts use it. */
export const createStopFunctions = ({ waitFor }: Shutdown) => ({
  server: async (serving: ApiServer): Promise<void> => {
    // A worker that does not respond must not delay the shutdown of other workers.
    const requestCount = await Promise.race([serving.countRequestsInFlight(), sleep(countMilliseconds, undefined, { ref: false })]);
    const inFlight =
      typeof requestCount === "number" ? `, with ${requestCount} ${requestCount === 1 ? "request" : "requests"} in flight` : "";
    return waitFor(`the server${inFlight}`, serving.stop(), serverMilliseconds);
  },
  indexer: (indexing: Promise<unknown>): Promise<void> => waitFor("the indexer's current batch", indexing, indexerMilliseconds),
  database: (database: { close(): Promise<void> }): Promise<void> => waitFor("PostgreSQL", database.close(), databaseMilliseconds),
  demo: (demo: { stop(): Promise<void> }): Promise<void> =>
    waitFor("the demo's node, which saves its chain", demo.stop(), demoMilliseconds),
});
