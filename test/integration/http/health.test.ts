import express, { type ErrorRequestHandler } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { createHealth } from "../../../runtime/http/health.ts";

const showError: ErrorRequestHandler = (error: Error & { status: number }, _request, response, _next) => {
  response.status(error.status).send(error.message);
};

describe("readiness", () => {
  it("is denied after 5 s if the database does not respond", async () => {
    const neverResolves = () => new Promise<never>(() => undefined);
    const app = express().use(
      createHealth(neverResolves, () => false),
      showError,
    );
    const startedAt = performance.now();
    const { status, text } = await request(app).get("/readyz");
    expect([status, text]).toEqual([503, "The database did not respond within 5 s."]);
    expect(performance.now() - startedAt).toBeGreaterThan(4_900);
  });
});
