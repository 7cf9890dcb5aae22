import { LRUCache } from "lru-cache";
import type { Clock } from "./key-cache.ts";

/** How many events a name has in its current window. */
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

/** Max names that a counter remembers; the least recently counted ones are forgotten first. */
const maxNames = 20_000;

/** Counts events by name in fixed windows, which start with the first event, in bounded memory. */
export function createWindowCounter(seconds: number, clock: Clock = performance): WindowCounter {
  const windows = new LRUCache<string, { count: number; readonly start: number }>({ max: maxNames });
  const openWindow = (name: string, now: number): { count: number; readonly start: number } => {
    const current = windows.get(name);
    return current !== undefined && now - current.start < seconds * 1000 ? current : { count: 0, start: now };
  };
  // Computed from the start: a stored end would be a rounded sum, and might be further away than the length of the window.
  const stateOf = ({ count, start }: { readonly count: number; readonly start: number }, now: number): WindowCount => ({
    count,
    secondsLeft: Math.max(1, seconds - Math.floor((now - start) / 1000)),
  });
  return {
    add(name) {
      const now = clock.now();
      const window = openWindow(name, now);
      if (window.count === 0) windows.set(name, window);
      window.count += 1;
      return stateOf(window, now);
    },
    get(name) {
      const now = clock.now();
      return stateOf(openWindow(name, now), now);
    },
  };
}
