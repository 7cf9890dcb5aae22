import { LRUCache } from "lru-cache";
import type { Channel } from "../../cluster/channel.ts";
import { isAdmitted, type KeyMeter } from "../../http/key-meter.ts";
import type { MeteredKey } from "../../http/keys.ts";
import type { EndedRequest, PrimaryFunctions } from "./ipc-functions.ts";

/** Max keys per worker whose last lookup the primary remembers; only a flood of requests uses more at a time. */
const maxKeys = 10_000;

/** A key, and the number of this worker's lookup of it. */
interface LookedUp {
  readonly key: MeteredKey;
  readonly lookup: number;
}

/** A worker's meter, which delegates the counting to its primary. */
export function createRemoteMeter(primary: Channel<PrimaryFunctions>): KeyMeter {
  const lookups = new WeakMap<MeteredKey, LookedUp>();
  let lastLookup = 0;
  let ended: EndedRequest[] = [];
  const lookedUp = (key: MeteredKey): LookedUp => {
    const cached = lookups.get(key);
    if (cached !== undefined) return cached;
    lastLookup += 1;
    // Only the fields that metering needs.
    const { id, creditLimitHundredths, usedHundredths, lookedUpAt, limits, quotas } = key;
    const request = { key: { id, creditLimitHundredths, usedHundredths, lookedUpAt, limits, quotas }, lookup: lastLookup };
    lookups.set(key, request);
    return request;
  };
  return {
    admit: (key) => primary.call("admit", lookedUp(key)),
    end(keyId, databaseMilliseconds, drainPerMinute) {
      // Requests that end in the same turn of the event loop are reported in one message.
      if (ended.length === 0)
        setImmediate(() => {
          primary.post("endRequests", ended);
          ended = [];
        });
      ended.push({ keyId, databaseMilliseconds, drainPerMinute });
    },
    // Sent immediately, so that the primary counts it before a request that follows the response.
    charge: (keyId, operation, hundredths, at) => primary.post("charge", { keyId, operation, hundredths, at: at.getTime() }),
    stop: async () => undefined,
  };
}

/** The functions through which a worker uses the primary's meter. */
export interface MeterFunctions extends Pick<PrimaryFunctions, "admit" | "endRequests" | "charge"> {
  /** Ends the requests of an exited worker. */
  endAll(): void;
}

/** Creates the functions for one worker. */
export function createMeterFunctions(meter: KeyMeter): MeterFunctions {
  /** Each key's last lookup. The meter identifies a lookup by its object, and counts charges from the lookup's first request on. */
  const lastLookups = new LRUCache<number, LookedUp>({ max: maxKeys });
  /** This worker's unfinished requests, by key. */
  const running = new Map<number, number>();
  let hasExited = false;

  const changeRunning = (keyId: number, change: number): void => {
    const count = (running.get(keyId) ?? 0) + change;
    if (count <= 0) running.delete(keyId);
    else running.set(keyId, count);
  };
  const keyOf = ({ key, lookup }: LookedUp): MeteredKey => {
    const previous = lastLookups.get(key.id);
    if (previous?.lookup === lookup) return previous.key;
    lastLookups.set(key.id, { key, lookup });
    return key;
  };
  return {
    async admit(request) {
      const metered = await meter.admit(keyOf(request));
      if (!isAdmitted(metered)) return metered;
      if (hasExited) meter.end(request.key.id, 0, 0);
      else changeRunning(request.key.id, 1);
      return metered;
    },
    endRequests(requests) {
      for (const { keyId, databaseMilliseconds, drainPerMinute } of requests) {
        changeRunning(keyId, -1);
        meter.end(keyId, databaseMilliseconds, drainPerMinute);
      }
    },
    charge: ({ keyId, operation, hundredths, at }) => meter.charge(keyId, operation, hundredths, new Date(at)),
    endAll() {
      hasExited = true;
      for (const [keyId, count] of running) for (let ended = 0; ended < count; ended += 1) meter.end(keyId, 0, 0);
      running.clear();
    },
  };
}
