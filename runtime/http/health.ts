import { Router } from "express";
import { sendJson, successBody } from "./envelope.ts";
import { failures } from "./errors.ts";

/** Whether the server is ready, and how far its chains are indexed. */
export interface Readiness {
  /** Why it is not ready, one sentence each; empty when it is. Lag is not a reason. */
  readonly reasons: readonly string[];
  /** Included in the answer: chains with height and lag, state of the database. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Probes time out; until then they should receive the reason. */
const readinessMilliseconds = 5_000;
const timedOut: Readiness = { reasons: [`The database did not respond within ${readinessMilliseconds / 1000} s.`], details: {} };

async function boundedReadiness(readiness: () => Promise<Readiness>): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve(timedOut), readinessMilliseconds);
  });
  return Promise.race([readiness(), bound]).finally(() => clearTimeout(timer));
}

/** Serves liveness and readiness to the operator, without a key. */
export function createHealth(readiness: () => Promise<Readiness>, isStopping: () => boolean): Router {
  const router = Router({ caseSensitive: true });
  router.get("/healthz", (_request, response) => sendJson(response, 200, successBody({ status: "up" })));
  router.get("/readyz", async (_request, response) => {
    if (isStopping()) throw failures.notReady(["The server is shutting down."]);
    const { reasons, details } = await boundedReadiness(readiness);
    if (reasons.length > 0) throw failures.notReady(reasons);
    sendJson(response, 200, successBody({ status: "ready", ...details }));
  });
  return router;
}
