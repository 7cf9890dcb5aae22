import { Router } from "express";
import { sendJson, successBody } from "./envelope.ts";
import { failures } from "./errors.ts";

/** Whether the server can answer, and how far its chains are. */
export interface Readiness {
  /** Why not yet, a sentence each; none where it is ready. Lag is no reason. */
  readonly reasons: readonly string[];
  /** Shown as they are: chains with their heights and lag, the database's state. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** A probe has a bound of its own, and rather reads why than nothing. */
const readinessMilliseconds = 5_000;
const unanswered: Readiness = { reasons: [`The database did not respond within ${readinessMilliseconds / 1000} s.`], details: {} };

async function boundedReadiness(readiness: () => Promise<Readiness>): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<Readiness>((resolve) => {
    timer = setTimeout(() => resolve(unanswered), readinessMilliseconds);
  });
  return Promise.race([readiness(), bound]).finally(() => clearTimeout(timer));
}

/** Liveness and readiness, for whoever runs the server; they need no key. */
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
