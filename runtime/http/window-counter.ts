import { LRUCache } from "lru-cache";
import type { Clock } from "./key-cache.ts";

/** The number of events of a name in its current window. */
export interface WindowCount {
  readonly count: number;
  /** Whole seconds until the window ends. */
  readonly secondsLeft: number;
}

export interface WindowCounter {
  /** Counts an event. */
  add(name: string): WindowCount;
  get(name: string): WindowCount;
}

/** Names that a counter remembers; those that were not counted for the longest time are forgotten first. */
const maxNames = 20_000;

/** Counts events by name in fixed windows, which start with the first event, in bounded memory. */
export function createWindowCounter(seconds: number, clock: Clock = performance): WindowCounter {
  const windows = new LRUCache<string, { count: number; readonly end: number }>({ max: maxNames });
  const openWindow = (name: string): { count: number; readonly end: number } => {
    const current = windows.get(name);
    if (current !== undefined && clock.now() < current.end) return current;
    return { count: 0, end: clock.now() + seconds * 1000 };
  };
  const stateOf = ({ count, end }: { readonly count: number; readonly end: number }): WindowCount => ({
    count,
    secondsLeft: Math.max(1, Math.ceil((end - clock.now()) / 1000)),
  });
  return {
    add(name) {
      const window = openWindow(name);
      window.count += 1;
      windows.set(name, window);
      return stateOf(window);
    },
    get: (name) => stateOf(openWindow(name)),
  };
}
