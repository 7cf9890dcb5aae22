import { setTimeout as sleep } from "node:timers/promises";
import type { Serving } from "./serving.ts";

const firstMilliseconds = 100;
const maxMilliseconds = 2_000;

/** Waits until the server is ready, looking ever more seldom: a backfill may take days. False when the signal came first. */
export async function whenReady(serving: Pick<Serving, "isReady">, signal: AbortSignal): Promise<boolean> {
  for (let wait = firstMilliseconds; !signal.aborted; wait = Math.min(maxMilliseconds, wait * 1.1)) {
    if (await serving.isReady()) return true;
    await sleep(wait, undefined, { signal }).catch(() => undefined);
  }
  return false;
}
