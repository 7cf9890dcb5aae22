import { setTimeout as wait } from "node:timers/promises";
import { deadline } from "./deadline.ts";

const defaultLimitMilliseconds = 240_000;
const pollMilliseconds = 10;

/** Waits for a condition, up to a limit that is scaled to the speed of this machine. @throws {Error} if it takes longer. */
export async function until(
  label: string,
  isTrue: () => boolean | Promise<boolean>,
  milliseconds = defaultLimitMilliseconds,
): Promise<void> {
  const limit = deadline(milliseconds);
  for (const end = Date.now() + limit; Date.now() < end; await wait(pollMilliseconds)) if (await isTrue()) return;
  throw new Error(`Timed out after ${limit / 1000} s while waiting for: ${label}`);
}
