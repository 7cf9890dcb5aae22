import { LRUCache } from "lru-cache";
import { type ActiveKey, hashKey, type Keys } from "./keys.ts";

/** A revoked key stops working within 5 s: the look-up's age at its end is taken off, and this leaves room for a slow one. */
const activeMilliseconds = 3000;
/** Short, so that a key works soon after it was made. */
const unknownMilliseconds = 1000;
/** How long a key that was good is trusted to be worth a look-up. */
const provenMilliseconds = 600_000;
/** Of each kind; a flood of wrong keys then pushes out wrong keys only. */
const capacity = 10_000;

export interface KeyCache {
  /**
   * The active key, or null; looked up once at a time for each key. Before a key that was not good lately is looked up, `admit` runs and may refuse:
   * so a good key is not held back by what others at its address send.
   */
  find(key: string, admit?: () => Promise<void>): Promise<ActiveKey | null>;
}

/** Remembers look-ups of keys for seconds, wrong ones too. */
export function createKeyCache(keys: Pick<Keys, "find">): KeyCache {
  const active = new LRUCache<string, ActiveKey>({ max: capacity, ttl: activeMilliseconds });
  const unknown = new LRUCache<string, true>({ max: capacity, ttl: unknownMilliseconds });
  const proven = new LRUCache<string, true>({ max: capacity, ttl: provenMilliseconds });
  const running = new Map<string, Promise<ActiveKey | null>>();

  const lookUp = async (hash: Buffer, id: string): Promise<ActiveKey | null> => {
    const startedAt = performance.now();
    const found = await keys.find(hash);
    const left = activeMilliseconds - (performance.now() - startedAt);
    if (found === null) {
      unknown.set(id, true);
      proven.delete(id);
      return null;
    }
    proven.set(id, true);
    if (left >= 1) active.set(id, found, { ttl: left });
    return found;
  };

  return {
    async find(key, admit) {
      const hash = hashKey(key);
      const id = hash.toString("base64");
      const known = active.get(id) ?? (unknown.has(id) ? null : undefined);
      if (known !== undefined) return known;
      if (!proven.has(id)) await admit?.();
      const earlier = running.get(id);
      if (earlier !== undefined) return earlier;
      const lookingUp = lookUp(hash, id).finally(() => running.delete(id));
      running.set(id, lookingUp);
      return lookingUp;
    },
  };
}
