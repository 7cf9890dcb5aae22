import { createKeep, type Keep, keepNothing } from "../lib/keep-loads.ts";
import type { Notifications } from "./notifications.ts";

/** The channel that triggers of the index notify; payloads are names of tables. */
export const indexChannel = "ashlar_index";

/** How long values are kept where the database cannot notify. */
const pollMilliseconds = 1_000;

/**
 * How loads of values that only the index changes are kept: until its channel is notified. Where the database cannot notify (see `NotificationState`), a value is
 * loaded at most once a second; while the connection is lost, and without notifications, it is loaded for each request.
 */
export function createIndexKeep(notifications: Notifications | undefined, clock: { now(): number } = performance): Keep {
  if (notifications === undefined) return keepNothing;
  let changes = 0;
  notifications.subscribe(() => {
    changes += 1;
  });
  return createKeep({
    version: () => (notifications.state() === "disconnected" ? null : changes),
    maxAgeMilliseconds: () => (notifications.state() === "connected" ? Number.POSITIVE_INFINITY : pollMilliseconds),
    clock,
  });
}
