import { setTimeout as wait } from "node:timers/promises";
import { scaleTimeLimit } from "./scale-time-limit.ts";

const defaultLimitMilliseconds = 240_000;
const firstPauseMilliseconds = 10;
const maxPauseMilliseconds = 100;

/** A pause is a twentieth of the time waited so far: on few cores, a query every 10 ms would slow down the awaited work. */
const pauseAfter = (milliseconds: number): number => Math.min(maxPauseMilliseconds, Math.max(firstPauseMilliseconds, milliseconds / 20));

/** Waits for a condition, up to a limit that is scaled to this machine's speed. @throws {Error} if it takes longer. */
export async function until(
  label: string,
  isTrue: () => boolean | Promise<boolean>,
  milliseconds = defaultLimitMilliseconds,
): Promise<void> {
  const limit = scaleTimeLimit(milliseconds);
  const start = Date.now();
  for (;;) {
    // Read before the condition, so that it is checked at least once after the limit.
    const elapsed = Date.now() - start;
    if (await isTrue()) return;
    if (elapsed >= limit) break;
    await wait(pauseAfter(elapsed));
  }
  throw new Error(`Timed out after ${limit / 1000} s while waiting for: ${label}`);
}
