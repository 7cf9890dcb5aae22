import type { Operation } from "../../generated/operations.gen.ts";
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
  readonly admit: () => void;
  readonly reject: (error: Error) => void;
}

const weights: readonly Weight[] = [1, 2, 4];
/** So many cheaper requests may overtake the first one of a more expensive weight. */
const maxOvertaking = 16;
const maxCheapHundredths = 200;

/** The weight of an operation by its price: 1 for a small price per response, 2 for a page with a price per item, 4 for others, whose responses may be long. */
export function weightOf({ cost, style }: Pick<Operation, "cost" | "style">): Weight {
  if (cost === null || (cost.per === "call" && cost.hundredths <= maxCheapHundredths)) return 1;
  return cost.per === "item" && style !== "none" ? 2 : 4;
}

/**
 * Creates an admission. The cheapest waiting requests are admitted first, but do not overtake more expensive ones without end; if the queue is full, a request
 * replaces the newest one that is more expensive.
 */
export function createAdmission(capacity: number, maxWaiting: number): Admission {
  const queues = new Map<Weight, Waiting[]>(weights.map((weight) => [weight, []]));
  const queueOf = (weight: Weight): Waiting[] => queues.get(weight) ?? [];
  let active = 0;
  let waiting = 0;
  let overtaken = 0;

  /** The queue whose first request is next: the cheapest one, or the most expensive one after it was overtaken too often. */
  const nextQueue = (): Waiting[] | undefined => {
    const nonEmpty = weights.map(queueOf).filter((queue) => queue.length > 0);
    overtaken = nonEmpty.length > 1 ? overtaken + 1 : 0;
    if (overtaken <= maxOvertaking) return nonEmpty[0];
    return nonEmpty.at(-1);
  };
  const admitNext = (): void => {
    while (waiting > 0 && active < capacity) {
      const next = nextQueue()?.shift();
      if (next === undefined) return;
      waiting -= 1;
      if (overtaken > maxOvertaking) overtaken = 0;
      active += next.weight;
      next.admit();
    }
  };
  const leave = (weight: Weight) => (): void => {
    active -= weight;
    admitNext();
  };
  const remove = (entry: Waiting): void => {
    const queue = queueOf(entry.weight);
    const index = queue.indexOf(entry);
    if (index < 0) return;
    queue.splice(index, 1);
    waiting -= 1;
  };
  /** Rejects the newest one of the most expensive waiting requests. False if none is more expensive than the weight. */
  const replaceMoreExpensive = (weight: Weight): boolean => {
    const queue = weights
      .filter((other) => other > weight)
      .map(queueOf)
      .findLast((candidates) => candidates.length > 0);
    const replaced = queue?.pop();
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
        queueOf(weight).push(entry);
        waiting += 1;
      });
      return leave(weight);
    },
  };
}
