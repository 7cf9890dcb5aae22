import { isIPv6 } from "node:net";
import { failures } from "./errors.ts";
import type { Clock } from "./key-cache.ts";
import { createWindowCounter } from "./window-counter.ts";

/** Limits on requests without a valid key, per client address, as reported by `trustedProxies`. */
export interface AddressLimits {
  /** @throws {HttpError} 429 if the address has sent too many failed requests without a valid key. */
  checkFailures(address: string): void;
  countFailure(address: string): void;
  /** Counts a request for a page that needs no key. @throws {HttpError} 429 if there are too many. */
  countPage(address: string): void;
}

const windowSeconds = 10;
/** Enough for a script that tries every endpoint; limits a flood to 100 key lookups per second. */
const maxFailures = 1_000;
/** Enough for probes and browsers; the largest page, the OpenAPI document, has several megabytes. */
const maxPages = 1_000;

/** Creates the limits, in memory: they apply per server process. */
export function createAddressLimits(clock?: Clock): AddressLimits {
  const failed = createWindowCounter(windowSeconds, clock);
  const pages = createWindowCounter(windowSeconds, clock);
  return {
    checkFailures(address) {
      const { count, secondsLeft } = failed.get(networkOf(address));
      if (count >= maxFailures) throw failures.tooManyInvalidKeys(maxFailures, windowSeconds, secondsLeft);
    },
    countFailure: (address) => void failed.add(networkOf(address)),
    countPage(address) {
      const { count, secondsLeft } = pages.add(networkOf(address));
      if (count > maxPages) throw failures.tooManyPages(maxPages, windowSeconds, secondsLeft);
    },
  };
}

const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
const groupsPerNetwork = 4;

/** The network whose requests are counted together: an IPv4 address, or the /64 of an IPv6 address, all of which one host may use (RFC 4291, 2.5.1). */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = mappedIpv4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = (address.split("%")[0] ?? "").split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: zeros }, () => "0"), ...right];
  return groups
    .slice(0, groupsPerNetwork)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":");
}
