import express, { type ErrorRequestHandler } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { createHealthRouter, type Readiness } from "../../../runtime/http/health.ts";

const showError: ErrorRequestHandler = (error: Error & { status: number }, _request, response, _next) => {
  response.status(error.status).send(error.message);
};
const neverResolves = () => new Promise<never>(() => undefined);
const appOf = (readiness: () => Promise<Readiness>, clock?: { now(): number }) =>
  express().use(
    createHealthRouter(readiness, () => false, clock),
    showError,
  );

describe("readiness", () => {
  it("is refused after 5 s if the database does not respond, while liveness does not wait", async () => {
    const app = appOf(neverResolves);
    const startedAt = performance.now();
    const pending = request(app).get("/readyz");
    const refused = pending.then(({ status, text }) => ({ status, text, milliseconds: performance.now() - startedAt }));
    expect((await request(app).get("/healthz")).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
    const { status, text, milliseconds } = await refused;
    expect([status, text]).toEqual([503, "The database did not respond within 5 s."]);
    expect(milliseconds).toBeGreaterThan(4_900);
  });

  it("is checked once for concurrent requests and for requests in the following second", async () => {
    let checks = 0;
    let now = 0;
    let end: () => void = () => undefined;
    const app = appOf(
      () => {
        checks += 1;
        return new Promise((resolve) => {
          end = () => resolve({ reasons: [], details: {} });
        });
      },
      { now: () => now },
    );
    const server = app.listen(0);
    try {
      const probe = async () => (await request(server).get("/readyz")).status;
      const concurrent = Array.from({ length: 20 }, probe);
      await expect.poll(() => checks).toBe(1);
      now = 3_000;
      end();
      expect(new Set(await Promise.all(concurrent))).toEqual(new Set([200]));
      now = 3_999;
      expect(await probe()).toBe(200);
      expect(checks).toBe(1);
      now = 4_000;
      const later = probe();
      await expect.poll(() => checks).toBe(2);
      end();
      expect(await later).toBe(200);
    } finally {
      server.close();
    }
  });
});
