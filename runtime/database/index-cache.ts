import { type CacheLoads, createLoadCache, type Freshness, uncachedLoads } from "../lib/cache-loads.ts";
import { type CacheLookups, createLookupCache, uncachedLookups } from "../lib/cache-lookups.ts";
import type { Notifications } from "./notifications.ts";

/** The channel that the index's triggers notify; payloads are table names. */
export const indexChannel = "ashlar_index";

/** Tables with a notifying trigger (migrations 0034, 0035, 0038 and 0039). */
type NotifyingTable =
  | "bitcoin_blocks"
  | "blocks"
  | "chains"
  | "content_versions"
  | "name_records"
  | "pools"
  | "price_days"
  | "price_hours"
  | "price_progress"
  | "projection_checkpoints"
  | "token_metadata"
  | "token_standards";

/**
 * Caches values that depend only on some of the index's tables until a change to one of them is notified. Where the database cannot notify (see
 * `NotificationState`), a value is loaded at most once a second; while the connection is lost, and without notifications, it is loaded for each request.
 */
export interface IndexCache {
  /** For values with few keys, such as chains. */
  loads(...tables: readonly NotifyingTable[]): CacheLoads;
  /** For values with many keys, such as addresses. */
  lookups(...tables: readonly NotifyingTable[]): CacheLookups;
  /** Invalidates all values, because one of them is known to have changed: the notifications of others may not have arrived yet. */
  invalidate(): void;
}

/** How long values are cached where the database cannot notify. */
const pollMilliseconds = 1_000;

/** Caches nothing: each value is loaded for each request. */
export const noIndexCache: IndexCache = { loads: () => uncachedLoads, lookups: () => uncachedLookups, invalidate: () => undefined };

/** Creates caches for values that remain valid until a notification arrives. */
export function createIndexCache(notifications: Notifications | undefined, clock: { now(): number } = performance): IndexCache {
  if (notifications === undefined) return noIndexCache;
  let invalidations = 0;
  const freshnessOf = (tables: readonly string[]): Freshness => {
    let changes = 0;
    notifications.subscribe((table) => {
      if (table === null || tables.includes(table)) changes += 1;
    });
    return {
      version: () => (notifications.state() === "disconnected" ? null : changes + invalidations),
      maxAgeMilliseconds: () => (notifications.state() === "connected" ? Number.POSITIVE_INFINITY : pollMilliseconds),
      clock,
    };
  };
  return {
    loads: (...tables) => createLoadCache(freshnessOf(tables)),
    lookups: (...tables) => createLookupCache(freshnessOf(tables)),
    invalidate() {
      invalidations += 1;
    },
  };
}
