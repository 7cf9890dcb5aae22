import { poll } from "../lib/async.ts";
import type { Serving } from "./serving.ts";

/** Between checks; the interval grows, because a backfill may take days. */
const interval = { base: 100, max: 2_000, factor: 1.1 };

/** Resolves to true when the server is ready, and to false when the signal aborts first. */
export const whenReady = async (serving: Pick<Serving, "isReady">, signal: AbortSignal): Promise<boolean> =>
  (await poll(async () => ((await serving.isReady()) ? true : null), { ...interval, signal })) ?? false;
