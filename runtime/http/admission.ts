import type { Operation } from "../../generated/operations.gen.ts";
import { activeRequest } from "../lib/active-request.ts";
import { failures } from "./errors.ts";

/** Admits requests to the resolvers: a bounded number is processed, and a bounded number waits. */
export interface Admission {
  /**
   * Waits for admission and returns the function that ends it. Rejects with the signal's reason if the request aborts while it waits.
   * @throws {HttpError} 503 if too many requests wait.
   */
  enter(weight: Weight, signal: AbortSignal): Promise<() => void>;
}

/** What a request counts for, as an estimate of its cost; see `weightOf`. */
export type Weight = 1 | 2 | 4;

interface Waiting {
  readonly weight: Weight;
  readonly since: number;
  readonly admit: () => void;
  readonly reject: (error: Error) => void;
}

/** The waiting requests of one weight. */
interface Queue {
  readonly weight: Weight;
  readonly entries: Waiting[];
  /** How many requests of other weights were admitted since the first one of this queue waits for it. */
  overtaken: number;
}

const weights: readonly Weight[] = [1, 2, 4];
/** So many requests of other weights may overtake the first one of a weight; then it is next, or follows another one that was overtaken as often. */
const maxOvertaking = 16;
const maxCheapHundredths = 200;
/** While requests have been waiting for so long without a pause, the load is more than a burst. */
const burstMilliseconds = 5_000;
/** How long a request may wait under such a load; later, its client has less use for the response than others. */
const maxWaitMilliseconds = 500;

/** The weight of an operation by its price: 1 for a small price per response, 2 for a page with a price per item, 4 for others, whose responses may be long. */
export function weightOf({ cost, style }: Pick<Operation, "cost" | "style">): Weight {
  if (cost === null || (cost.per === "call" && cost.hundredths <= maxCheapHundredths)) return 1;
  return cost.per === "item" && style !== "none" ? 2 : 4;
}

/**
 * Creates an admission. The cheapest waiting requests are admitted first, but do not overtake more expensive ones without end; if the queue is full, a request
 * replaces the newest one that is more expensive. In a burst, requests wait as long as their deadline allows. Under a lasting overload, those that have waited too
 * long get 503, so that the others do not have to wait for them: the queue is always full then, and its last request would wait for all of it.
 */
export function createAdmission(capacity: number, maxWaiting: number, now: () => number = () => performance.now()): Admission {
  const queues = weights.map((weight): Queue => ({ weight, entries: [], overtaken: 0 }));
  let active = 0;
  let waiting = 0;
  /** Since when requests have been waiting without a pause. */
  let waitingSince = 0;

  /** The next waiting request: one that was overtaken too often, otherwise the cheapest one. */
  const takeNext = (): Waiting | undefined => {
    const nonEmpty = queues.filter(({ entries }) => entries.length > 0);
    const [starving] = nonEmpty
      .filter(({ overtaken }) => overtaken >= maxOvertaking)
      .sort((left, right) => right.overtaken - left.overtaken);
    const next = starving ?? nonEmpty[0];
    for (const queue of queues) queue.overtaken = queue === next || queue.entries.length === 0 ? 0 : queue.overtaken + 1;
    return next?.entries.shift();
  };
  /** Rejects the requests that have waited too long, which are the first ones of their queues. */
  const rejectLate = (): void => {
    const time = now();
    if (waiting === 0 || time - waitingSince <= burstMilliseconds) return;
    for (const { entries } of queues) {
      const late = entries.filter(({ since }) => time - since > maxWaitMilliseconds).length;
      waiting -= late;
      for (const entry of entries.splice(0, late)) entry.reject(failures.overloaded());
    }
  };
  const admitNext = (): void => {
    rejectLate();
    while (active < capacity) {
      const next = takeNext();
      if (next === undefined) return;
      waiting -= 1;
      active += next.weight;
      next.admit();
    }
  };
  const leave = (weight: Weight) => (): void => {
    active -= weight;
    admitNext();
  };
  const remove = (entry: Waiting): void => {
    const entries = queues.find(({ weight }) => weight === entry.weight)?.entries ?? [];
    const index = entries.indexOf(entry);
    if (index < 0) return;
    entries.splice(index, 1);
    waiting -= 1;
  };
  /** Rejects the newest one of the most expensive waiting requests. False if none is more expensive than the weight. */
  const replaceMoreExpensive = (weight: Weight): boolean => {
    const replaced = queues.findLast((queue) => queue.weight > weight && queue.entries.length > 0)?.entries.pop();
    if (replaced === undefined) return false;
    waiting -= 1;
    replaced.reject(failures.overloaded());
    return true;
  };

  return {
    async enter(weight, signal) {
      signal.throwIfAborted();
      if (active < capacity && waiting === 0) {
        active += weight;
        return leave(weight);
      }
      if (waiting >= maxWaiting && !replaceMoreExpensive(weight)) throw failures.overloaded();
      await new Promise<void>((resolve, reject) => {
        const onAbort = (): void => {
          remove(entry);
          reject(signal.reason);
        };
        const settle = (): void => signal.removeEventListener("abort", onAbort);
        const entry: Waiting = {
          weight,
          since: now(),
          admit: () => {
            settle();
            resolve();
          },
          reject: (error) => {
            settle();
            reject(error);
          },
        };
        signal.addEventListener("abort", onAbort, { once: true });
        if (waiting === 0) waitingSince = entry.since;
        queues.find((queue) => queue.weight === weight)?.entries.push(entry);
        waiting += 1;
      });
      return leave(weight);
    },
  };
}

/** Runs work after its admission. It belongs to the active request, or to all requests that wait for its result. */
export async function runAdmitted<T>(admission: Admission, weight: Weight, work: () => Promise<T>): Promise<T> {
  const leave = await admission.enter(weight, activeRequest()?.signal ?? AbortSignal.any([]));
  try {
    return await work();
  } finally {
    leave();
  }
}
