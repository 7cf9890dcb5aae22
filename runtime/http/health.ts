import { Router } from "express";
import { sendJson, successBody } from "./envelope.ts";
import { failures } from "./errors.ts";

/** Whether the server is ready, and how far its chains are indexed. */
export interface Readiness {
  /** Why the server is not ready, one sentence each; empty if it is ready. Lag is not a reason. */
  readonly reasons: readonly string[];
  /** Included in the response: chains with height and lag, and the state of the database. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Shorter than the time-out of common probes, so that they receive the reason. */
const readinessMilliseconds = 5_000;
const timedOut: Readiness = { reasons: [`The database did not respond within ${readinessMilliseconds / 1000} s.`], details: {} };

async function readinessInTime(readiness: () => Promise<Readiness>): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve(timedOut), readinessMilliseconds);
  });
  return Promise.race([readiness(), deadline]).finally(() => clearTimeout(timer));
}

/** Serves liveness and readiness to the operator, without a key. */
export function createHealth(readiness: () => Promise<Readiness>, isStopping: () => boolean): Router {
  const router = Router({ caseSensitive: true });
  router.get("/healthz", (_request, response) => sendJson(response, 200, successBody({ status: "up" })));
  router.get("/readyz", async (_request, response) => {
    if (isStopping()) throw failures.notReady(["The server is shutting down."]);
    const { reasons, details } = await readinessInTime(readiness);
    if (reasons.length > 0) throw failures.notReady(reasons);
    sendJson(response, 200, successBody({ status: "ready", ...details }));
  });
  return router;
}
