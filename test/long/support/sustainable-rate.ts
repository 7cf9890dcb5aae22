import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import type { LoadResult } from "../load/open-loop.ts";
import { goodputOf } from "./load-process.ts";
import { print } from "./settings.ts";

/** The minimum share of 200 responses at a sustainable rate. */
const minSuccessShare = 0.98;
const p99Milliseconds = 1_000;
const firstRate = 10;
const growth = 1.8;
const bisectionCount = 4;

/** The highest rate that a server sustains, and the number of 200 responses per second at that rate. */
export interface SustainableRate {
  readonly rate: number;
  readonly goodput: number;
}

/**
 * Finds the highest sustainable rate with a ramp and a bisection, in steps of a few seconds. `load` runs one step with a rate for some milliseconds.
 */
export async function findSustainableRate(
  load: (rate: number, milliseconds: number) => Promise<LoadResult>,
  stepSeconds: number,
): Promise<SustainableRate> {
  const run = async (rate: number): Promise<{ readonly isSustained: boolean; readonly result: LoadResult }> => {
    const result = await load(rate, stepSeconds * 1000);
    const isSustained = (result.statuses[200] ?? 0) >= minSuccessShare * result.requests && result.p99 < scaleTimeLimit(p99Milliseconds);
    print(`${Math.round(rate)} requests/s: ${isSustained ? "sustained" : "not sustained"}, ${summaryOf(result)}`);
    return { isSustained, result };
  };
  /** Repeats a failed step once, because another process may have been the cause. */
  const attempt = async (rate: number): ReturnType<typeof run> => {
    const first = await run(rate);
    return first.isSustained ? first : run(rate);
  };
  // The first step fills caches and warms up the JIT compiler.
  await attempt(firstRate);
  let best: SustainableRate | null = null;
  let failed: number | null = null;
  let rate = firstRate;
  for (let bisection = 0; bisection < bisectionCount; ) {
    const { isSustained, result } = await attempt(rate);
    if (isSustained) best = { rate, goodput: goodputOf(result) };
    else if (best === null) throw new Error(`The server does not even sustain ${rate} requests/s: ${summaryOf(result)}`);
    else failed = rate;
    if (failed === null) rate *= growth;
    else {
      bisection += 1;
      rate = ((best?.rate ?? 0) + failed) / 2;
    }
  }
  if (best === null) throw new Error("The server sustains no rate.");
  return best;
}

/** A one-line summary of a load. */
export const summaryOf = (result: LoadResult): string =>
  [
    `goodput ${Math.round(goodputOf(result))}/s`,
    `p50 ${Math.round(result.p50)} ms`,
    `p99 ${Math.round(result.p99)} ms`,
    `statuses ${JSON.stringify(result.statuses)}`,
    ...(Object.keys(result.examples).every((status) => status === "503") ? [] : [`for example ${JSON.stringify(result.examples)}`]),
    ...(Object.keys(result.errors).length === 0 ? [] : [`errors ${JSON.stringify(result.errors)}`]),
  ].join(", ");
