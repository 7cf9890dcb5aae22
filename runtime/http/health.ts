import { Router } from "express";
import { sendJson, successBody } from "./envelope.ts";
import { failures } from "./errors.ts";
import type { Clock } from "./key-cache.ts";

/** Whether the server is ready, and how far its chains are indexed. */
export interface Readiness {
  /** Why the server is not ready, one sentence each; empty if it is ready. Lag is not a reason. */
  readonly reasons: readonly string[];
  /** Included in the response: chains with height and lag, and the database state. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Shorter than the timeout of common probes, so that they receive the reason. */
const readinessMilliseconds = 5_000;
const timedOut: Readiness = { reasons: [`The database did not respond within ${readinessMilliseconds / 1000} s.`], details: {} };

async function readinessInTime(readiness: () => Promise<Readiness>): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve(timedOut), readinessMilliseconds);
  });
  return Promise.race([readiness(), deadline]).finally(() => clearTimeout(timer));
}

/** How long a check's result is used, so that any number of probes costs one check per second. */
const cacheMilliseconds = 1_000;

/** Checks readiness once for all requests that arrive during the check and the second after it. */
function cacheReadiness(check: () => Promise<Readiness>, clock: Clock): () => Promise<Readiness> {
  let cached: Promise<Readiness> | undefined;
  let expiresAt = Number.POSITIVE_INFINITY;
  return () => {
    if (cached !== undefined && clock.now() < expiresAt) return cached;
    expiresAt = Number.POSITIVE_INFINITY;
    const expire = (): void => {
      expiresAt = clock.now() + cacheMilliseconds;
    };
    cached = check();
    cached.then(expire, expire);
    return cached;
  };
}

/** Serves liveness and readiness to the operator, without a key. Liveness reads nothing. */
export function createHealthRouter(readiness: () => Promise<Readiness>, isStopping: () => boolean, clock: Clock = performance): Router {
  const router = Router({ caseSensitive: true });
  const cachedReadiness = cacheReadiness(() => readinessInTime(readiness), clock);
  router.get("/healthz", (_request, response) => sendJson(response, 200, successBody({ status: "up" })));
  router.get("/readyz", async (_request, response) => {
    if (isStopping()) throw failures.notReady(["The server is shutting down."]);
    const { reasons, details } = await cachedReadiness();
    if (reasons.length > 0) throw failures.notReady(reasons);
    sendJson(response, 200, successBody({ status: "ready", ...details }));
  });
  return router;
}
