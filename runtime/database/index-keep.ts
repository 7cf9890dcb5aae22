import { createKeep, type Freshness, type Keep, keepNothing } from "../lib/keep-loads.ts";
import { createKeepLookups, type KeepLookups, keepNoLookups } from "../lib/keep-lookups.ts";
import type { Notifications } from "./notifications.ts";

/** The channel that triggers of the index notify; payloads are names of tables. */
export const indexChannel = "ashlar_index";

/** The tables with such a trigger (migrations 0034, 0035, 0038 and 0039). */
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
 * How values that only depend on some tables of the index are kept: until one of these is notified. Where the database cannot notify (see `NotificationState`), a
 * value is loaded at most once a second; while the connection is lost, and without notifications, it is loaded for each request.
 */
export interface IndexKeep {
  /** For values of few keys, such as chains. */
  loads(...tables: readonly NotifyingTable[]): Keep;
  /** For values of many keys, such as addresses. */
  lookups(...tables: readonly NotifyingTable[]): KeepLookups;
  /** Discards all values, because one of them is known to have changed: the notifications of others may not have arrived yet. */
  discard(): void;
}

/** How long values are kept where the database cannot notify. */
const pollMilliseconds = 1_000;

/** Keeps nothing: each value is loaded for each request. */
export const noIndexKeep: IndexKeep = { loads: () => keepNothing, lookups: () => keepNoLookups, discard: () => undefined };

/** Creates the ways to keep values while notifications arrive. */
export function createIndexKeep(notifications: Notifications | undefined, clock: { now(): number } = performance): IndexKeep {
  if (notifications === undefined) return noIndexKeep;
  let discarded = 0;
  const freshnessOf = (tables: readonly string[]): Freshness => {
    let changes = 0;
    notifications.subscribe((table) => {
      if (table === null || tables.includes(table)) changes += 1;
    });
    return {
      version: () => (notifications.state() === "disconnected" ? null : changes + discarded),
      maxAgeMilliseconds: () => (notifications.state() === "connected" ? Number.POSITIVE_INFINITY : pollMilliseconds),
      clock,
    };
  };
  return {
    loads: (...tables) => createKeep(freshnessOf(tables)),
    lookups: (...tables) => createKeepLookups(freshnessOf(tables)),
    discard() {
      discarded += 1;
    },
  };
}
