import type { Operation } from "../../generated/operations.gen.ts";
import { activeRequest } from "../lib/active-request.ts";
import { failures } from "./errors.ts";

/** Admits requests to the resolvers: a bounded number is processed, and a bounded number waits. */
export interface Admission {
  /**
   * Returns a function that ends the admission, or a promise of one if the request has to wait; it rejects with the signal's reason if the request is
   * aborted first. The owner is the key of the request.
   * @throws {HttpError} 503 if too many requests wait.
   */
  enter(weight: Weight, signal: AbortSignal, owner?: number): (() => void) | Promise<() => void>;
}

/** A request's estimated cost; see `weightOf`. */
export type Weight = 1 | 2 | 4;

interface Waiting {
  readonly weight: Weight;
  readonly owner: number | undefined;
  /** Since when it has been waiting for capacity. */
  since: number;
  readonly admit: () => void;
  readonly reject: (error: Error) => void;
}

/** The admitted requests of a key. */
interface Active {
  readonly count: number;
  /** The sum of their weights. */
  readonly weight: number;
}

/** The waiting requests with one weight. */
interface Queue {
  readonly weight: Weight;
  readonly entries: Waiting[];
  /** How many requests with other weights were admitted while the first one in this queue could have been. */
  overtaken: number;
}

const weights: readonly Weight[] = [1, 2, 4];
/** The share of the capacity that one key cannot use, so that other keys' requests do not wait for that key's longest requests. */
const reservedShare = 1 / 4;
/**
 * Max requests of one key that are processed at once. More would not be faster, because a process computes on one thread, but would need more memory: a
 * response with 30,000 items needs up to 75 MB while it is computed.
 */
const maxRequestsOfKey = 3;
/** Max requests with other weights that overtake the first request in a queue; it is then the next one, after any that were overtaken more often. */
const maxOvertaking = 16;
/** Max price of a response of weight 1, in hundredths of a credit. */
const maxCheapHundredths = 200;
/** If requests have been waiting without a pause for longer than this, the load is an overload, not a burst. */
const burstMilliseconds = 5_000;
/** Max wait during an overload. A later response would be less useful to its client than the responses to newer requests are to their clients. */
const maxWaitMilliseconds = 500;

/** An operation's weight by its price: 1 if it is free or has a small price per response, 2 for a page with a price per item, otherwise 4: it may be long. */
export function weightOf({ cost, style }: Pick<Operation, "cost" | "style">): Weight {
  if (cost === null || (cost.per === "call" && cost.hundredths <= maxCheapHundredths)) return 1;
  return cost.per === "item" && style !== "none" ? 2 : 4;
}

/**
 * Creates an admission. The cheapest waiting requests are admitted first, but do not overtake more expensive ones indefinitely; if the queue is full,
 * a request replaces the newest one that is more expensive. One key can use three quarters of the capacity, for at most three requests. In a burst,
 * requests wait as long as their deadline allows. Under a lasting overload, requests that have waited too long get 503: otherwise the queue would stay
 * full, and each new request would wait for the entire queue.
 */
export function createAdmission(capacity: number, maxWaiting: number, now: () => number = () => performance.now()): Admission {
  const queues = weights.map((weight): Queue => ({ weight, entries: [], overtaken: 0 }));
  const maxWeightOfKey = capacity - Math.floor(capacity * reservedShare);
  /** The admitted requests of each key. */
  const activeOf = new Map<number | undefined, Active>();
  /** The total weight of all admitted requests. */
  let active = 0;
  let waiting = 0;
  /** Since when requests have been waiting without a pause. */
  let waitingSince = 0;

  const ofKey = (owner: number | undefined): Active => activeOf.get(owner) ?? { count: 0, weight: 0 };
  const isKeyBelowLimits = (owner: number | undefined): boolean => {
    const { count, weight } = ofKey(owner);
    return count < maxRequestsOfKey && weight < maxWeightOfKey;
  };
  const mayEnter = (owner: number | undefined): boolean => active < capacity && isKeyBelowLimits(owner);
  const begin = (added: Weight, owner: number | undefined): void => {
    active += added;
    const { count, weight } = ofKey(owner);
    activeOf.set(owner, { count: count + 1, weight: weight + added });
  };
  const indexOfFirstReady = ({ entries }: Queue): number => entries.findIndex(({ owner }) => mayEnter(owner));
  /** The next waiting request whose key may enter: one that was overtaken too often, otherwise the cheapest one. */
  const takeNext = (): Waiting | undefined => {
    if (active >= capacity) return undefined;
    const ready = queues.filter((queue) => indexOfFirstReady(queue) >= 0);
    const [starving] = ready.filter(({ overtaken }) => overtaken >= maxOvertaking).sort((left, right) => right.overtaken - left.overtaken);
    const next = starving ?? ready[0];
    if (next === undefined) return undefined;
    for (const queue of queues) queue.overtaken = queue !== next && ready.includes(queue) ? queue.overtaken + 1 : 0;
    return next.entries.splice(indexOfFirstReady(next), 1)[0];
  };
  /** Rejects the requests that have waited too long for capacity. Those that wait only for other requests of their key are not late. */
  const rejectLate = (): void => {
    const time = now();
    if (waiting === 0 || time - waitingSince <= burstMilliseconds) return;
    for (const { entries } of queues)
      for (const entry of entries.filter(({ since, owner }) => time - since > maxWaitMilliseconds && isKeyBelowLimits(owner))) {
        entries.splice(entries.indexOf(entry), 1);
        waiting -= 1;
        entry.reject(failures.overloaded());
      }
  };
  const admitNext = (): void => {
    rejectLate();
    for (let next = takeNext(); next !== undefined; next = takeNext()) {
      waiting -= 1;
      begin(next.weight, next.owner);
      next.admit();
    }
  };
  /** The requests of a key that was at its limits have been waiting for the key's other requests, and only from now on for capacity. */
  const restartWait = (owner: number | undefined): void => {
    for (const { entries } of queues) for (const entry of entries) if (entry.owner === owner) entry.since = now();
  };
  const createLeave = (removed: Weight, owner: number | undefined) => (): void => {
    active -= removed;
    const wasBelowLimits = isKeyBelowLimits(owner);
    const { count, weight } = ofKey(owner);
    if (count > 1) activeOf.set(owner, { count: count - 1, weight: weight - removed });
    else activeOf.delete(owner);
    if (!wasBelowLimits && waiting > 0) restartWait(owner);
    admitNext();
  };
  const remove = (entry: Waiting): void => {
    const entries = queues.find(({ weight }) => weight === entry.weight)?.entries ?? [];
    const index = entries.indexOf(entry);
    if (index < 0) return;
    entries.splice(index, 1);
    waiting -= 1;
  };
  /** Rejects the newest of the most expensive waiting requests. Returns false if none is more expensive than the weight. */
  const replaceMoreExpensive = (weight: Weight): boolean => {
    const replaced = queues.findLast((queue) => queue.weight > weight && queue.entries.length > 0)?.entries.pop();
    if (replaced === undefined) return false;
    waiting -= 1;
    replaced.reject(failures.overloaded());
    return true;
  };

  return {
    enter(weight, signal, owner) {
      signal.throwIfAborted();
      // Requests that are still waiting belong to keys that may not enter.
      if (mayEnter(owner)) {
        begin(weight, owner);
        return createLeave(weight, owner);
      }
      if (waiting >= maxWaiting && !replaceMoreExpensive(weight)) throw failures.overloaded();
      return new Promise((resolve, reject) => {
        const onAbort = (): void => {
          remove(entry);
          reject(signal.reason);
        };
        const settle = (): void => signal.removeEventListener("abort", onAbort);
        const entry: Waiting = {
          weight,
          owner,
          since: now(),
          admit: () => {
            settle();
            resolve(createLeave(weight, owner));
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
    },
  };
}

/** Runs work after its admission. The work belongs to the active request, or to all requests that wait for its result. */
export async function runAdmitted<T>(admission: Admission, weight: Weight, work: () => Promise<T>): Promise<T> {
  const request = activeRequest();
  const entered = admission.enter(weight, request?.signal ?? AbortSignal.any([]), request?.keyId);
  // Most requests do not wait.
  const leave = entered instanceof Promise ? await entered : entered;
  try {
    return await work();
  } finally {
    leave();
  }
}
