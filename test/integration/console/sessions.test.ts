import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSignInToken } from "../../../runtime/console/sessions.ts";
import { listActions } from "../../../runtime/operator/actions.ts";
import { cookieOf, startTestConsole, type TestConsole } from "../../support/console.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let testDatabase: TestDatabase;
let console: TestConsole;
let logged: string[];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  logged = [];
  console = await startTestConsole(testDatabase.database, { log: (line) => logged.push(line) });
});
afterAll(async () => {
  console?.close();
  await testDatabase?.drop();
});

const query = (text: string, values: unknown[] = []) => testDatabase.database.query(text, values);
const tokenOf = (cookie: string): string => cookie.split("=")[1] ?? "";
const hashOf = (token: string): Buffer => createHash("sha256").update(token).digest();
const statusOf = async (cookie: string): Promise<number> => (await console.send("session", { cookie })).status;

describe("signing in", () => {
  it("works once per link, with a cookie that scripts and other sites cannot use", async () => {
    const { token } = await createSignInToken(testDatabase.database, "alice@host");
    const first = await console.send("session", { body: { token } });
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({ actor: "alice@host" });
    const attributes = (first.headers.get("set-cookie") ?? "").split("; ").slice(1);
    expect(attributes).toEqual(expect.arrayContaining(["HttpOnly", "SameSite=Strict", "Path=/console/api"]));
    expect((await console.send("session", { body: { token } })).status).toBe(401);
    expect((await listActions(testDatabase.database, 1))[0]).toMatchObject({ actor: "alice@host", action: "console.sign-in" });
  });

  it("is refused after the link has expired", async () => {
    const { token, expiresAt } = await createSignInToken(testDatabase.database, "alice@host");
    // Five minutes, as the command that creates the link prints.
    expect(Math.abs(expiresAt.getTime() - Date.now() - 300_000)).toBeLessThan(60_000);
    await query("UPDATE console_sign_ins SET expires_at = now() WHERE token_hash = $1", [hashOf(token)]);
    expect((await console.send("session", { body: { token } })).status).toBe(401);
  });

  it("stores only token hashes, and logs no tokens", async () => {
    const { token } = await createSignInToken(testDatabase.database, "alice@host");
    const cookie = await console.signIn();
    const rows = await query(
      "SELECT (SELECT json_agg(s) FROM console_sign_ins s)::text || (SELECT json_agg(s) FROM console_sessions s)::text AS text",
    );
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(tokenOf(cookie));
    expect(logged.join("")).not.toContain(token);
  });

  it("locks a network out after ten failures", async () => {
    const other = await startTestConsole(testDatabase.database);
    try {
      const statuses: number[] = [];
      for (let attempt = 0; attempt < 11; attempt += 1)
        statuses.push((await other.send("session", { body: { token: "x".repeat(43) } })).status);
      expect(statuses).toEqual([...new Array<number>(10).fill(401), 429]);
      const { token } = await createSignInToken(testDatabase.database, "alice@host");
      expect((await other.send("session", { body: { token } })).status).toBe(429);
    } finally {
      other.close();
    }
  });

  it("sets a Secure cookie if the public URL uses TLS", async () => {
    const other = await startTestConsole(testDatabase.database, { publicUrl: "https://console.example" });
    try {
      const { token } = await createSignInToken(testDatabase.database, "alice@host");
      const response = await other.send("session", { body: { token } });
      expect(response.headers.get("set-cookie")).toMatch(/^__Secure-ashlar-console=.*; Secure; SameSite=Strict/);
      expect(response.headers.get("strict-transport-security")).toMatch(/max-age=\d{8}/);
    } finally {
      other.close();
    }
  });
});

describe("a session", () => {
  it("ends when the operator signs out", async () => {
    const cookie = await console.signIn();
    expect(await statusOf(cookie)).toBe(200);
    expect((await console.send("session/end", { cookie, body: {} })).status).toBe(200);
    expect(await statusOf(cookie)).toBe(401);
  });

  it.each([
    ["half an hour without a request", "used_at = now() - interval '31 minutes'"],
    ["twelve hours", "created_at = now() - interval '12 hours 1 minute'"],
  ])("ends after %s", async (_name, change) => {
    const cookie = await console.signIn();
    await query(`UPDATE console_sessions SET ${change} WHERE token_hash = $1`, [hashOf(tokenOf(cookie))]);
    expect(await statusOf(cookie)).toBe(401);
  });

  it("receives a new token after 15 minutes, and the old one is still accepted from concurrent requests", async () => {
    const cookie = await console.signIn();
    await query("UPDATE console_sessions SET rotated_at = now() - interval '16 minutes' WHERE token_hash = $1", [hashOf(tokenOf(cookie))]);
    const response = await console.send("session", { cookie });
    const rotated = cookieOf(response);
    expect(rotated).not.toBe("");
    expect(tokenOf(rotated)).not.toBe(tokenOf(cookie));
    expect([await statusOf(cookie), await statusOf(rotated)]).toEqual([200, 200]);
  });

  it("ends for both tokens if a replaced token is used later", async () => {
    const cookie = await console.signIn();
    await query("UPDATE console_sessions SET rotated_at = now() - interval '16 minutes' WHERE token_hash = $1", [hashOf(tokenOf(cookie))]);
    const rotated = cookieOf(await console.send("session", { cookie }));
    await query("UPDATE console_sessions SET rotated_at = now() - interval '31 seconds' WHERE token_hash = $1", [hashOf(tokenOf(rotated))]);
    expect([await statusOf(cookie), await statusOf(rotated)]).toEqual([401, 401]);
  });
});
