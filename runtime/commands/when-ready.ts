import { poll } from "../lib/async.ts";
import type { ApiServer } from "./api-server.ts";

/** The interval between checks; by default it grows to two seconds, because a backfill may take days. */
const checkInterval = { base: 100, factor: 1.1 };

/** Resolves to true when the server is ready, or to false if the signal aborts first. */
export const whenReady = async (serving: Pick<ApiServer, "isReady">, signal: AbortSignal, maxMilliseconds = 2_000): Promise<boolean> =>
  (await poll(async () => ((await serving.isReady()) ? true : null), { ...checkInterval, max: maxMilliseconds, signal })) ?? false;
