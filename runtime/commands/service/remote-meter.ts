import { LRUCache } from "lru-cache";
import type { Channel } from "../../cluster/channel.ts";
import type { KeyMeter } from "../../http/key-meter.ts";
import type { ActiveKey } from "../../http/keys.ts";
import type { PrimaryFunctions } from "./functions.ts";

/** Keys of which the primary remembers the last lookup by a worker; more are looked up at the same time only by a flood. */
const maxKeys = 10_000;

/** A worker's meter: its primary counts. */
export function createRemoteMeter(primary: Channel<PrimaryFunctions>): KeyMeter {
  const lookups = new WeakMap<ActiveKey, number>();
  let lastLookup = 0;
  const lookupOf = (key: ActiveKey): number => {
    const known = lookups.get(key);
    if (known !== undefined) return known;
    lastLookup += 1;
    lookups.set(key, lastLookup);
    return lastLookup;
  };
  return {
    admit: (key) => primary.call("admit", { key, lookup: lookupOf(key) }),
    // Sent immediately, so that the primary counts it before a request that follows the response.
    charge: (keyId, operation, hundredths, at) => primary.post("charge", { keyId, operation, hundredths, at: at.getTime() }),
    stop: async () => undefined,
  };
}

/** The functions with which a worker uses the primary's meter. */
export function meterFunctions(meter: KeyMeter): Pick<PrimaryFunctions, "admit" | "charge"> {
  /** The last lookup of each key. The meter recognises a lookup by the object, and counts charges from its first request on. */
  const last = new LRUCache<number, { readonly lookup: number; readonly key: ActiveKey }>({ max: maxKeys });
  return {
    admit(request) {
      const known = last.get(request.key.id);
      if (known?.lookup === request.lookup) return meter.admit(known.key);
      last.set(request.key.id, request);
      return meter.admit(request.key);
    },
    charge: ({ keyId, operation, hundredths, at }) => meter.charge(keyId, operation, hundredths, new Date(at)),
  };
}
