import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSignInToken } from "../../../runtime/console/sessions.ts";
import { startTestConsole, type TestConsole } from "../../support/console.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let testDatabase: TestDatabase;
let console: TestConsole;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  console = await startTestConsole(testDatabase.database);
});
afterAll(async () => {
  console?.close();
  await testDatabase?.drop();
});

const query = (text: string, values: unknown[] = []) => testDatabase.database.query(text, values);
const tokenOf = (cookie: string): string => cookie.split("=")[1] ?? "";
const statusOf = async (cookie: string): Promise<number> => (await console.send("session", { cookie })).status;

/** Sends headers that `fetch` does not permit. */
const sendRaw = (path: string, headers: Record<string, string>, method = "GET"): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(`${console.url}${path}`, { method, headers, setHost: headers.Host === undefined }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
    request.end();
  });

describe("attacks", () => {
  const paths = [
    "session",
    "keys",
    "usage?from=2026-01-01&to=2026-01-02",
    "usage.csv?from=2026-01-01&to=2026-01-02",
    "chains",
    "chains/test",
    "log",
  ];

  it.each(paths)("%s is refused without a session", async (path) => {
    expect((await console.send(path)).status).toBe(401);
  });

  it.each(["keys", "keys/1", "keys/1/revoke", "session/end", "chains/test/pause", "chains/test/remove"])(
    "a POST to %s is refused without a session",
    async (path) => {
      expect((await console.send(path, { body: {} })).status).toBe(401);
    },
  );

  it.each([
    ["an empty value", "ashlar-console="],
    ["a guessed token", `ashlar-console=${"A".repeat(43)}`],
    ["SQL", "ashlar-console=' OR 1=1 --"],
    ["a link's token", "link"],
    ["a long value", `ashlar-console=${"a".repeat(8_000)}`],
    ["a lookalike name", "lookalike"],
  ])("a cookie with %s is not a session", async (_name, cookie) => {
    const { token } = await createSignInToken(testDatabase.database, "alice@host");
    const valid = tokenOf(await console.signIn());
    const sent = cookie === "link" ? `ashlar-console=${token}` : cookie === "lookalike" ? `xashlar-console=${valid}` : cookie;
    expect(await statusOf(sent)).toBe(401);
  });

  it.each([
    ["a request from another site", { "Sec-Fetch-Site": "cross-site" }],
    ["a request from another origin on the same site", { "Sec-Fetch-Site": "same-site" }],
    ["an origin of another site", { Origin: "https://attacker.example" }],
    ["an opaque origin", { Origin: "null" }],
    ["another port of this machine", { Origin: "http://127.0.0.1:1" }],
  ])("%s is refused, even with the cookie", async (_name, headers) => {
    const cookie = await console.signIn();
    expect((await console.send("keys", { cookie, body: { label: "csrf" }, headers })).status).toBe(403);
  });

  it("a domain that resolves to this machine is refused (DNS rebinding)", async () => {
    const cookie = await console.signIn();
    expect(await sendRaw("/console/api/keys", { Host: "attacker.example", Cookie: cookie })).toBe(403);
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])(
    "a body of type %s, which HTML forms can send, is refused",
    async (type) => {
      const cookie = await console.signIn();
      const response = await console.send("keys", { cookie, body: '{"label":"form"}', headers: { "Content-Type": type } });
      expect(response.status).toBe(415);
    },
  );

  it.each(["PUT", "DELETE", "PATCH", "TRACE"])("the method %s changes nothing", async (method) => {
    const cookie = await console.signIn();
    expect(
      await sendRaw("/console/api/keys/1", { Cookie: cookie, "Content-Type": "application/json", "Content-Length": "0" }, method),
    ).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ["__proto__", '{"__proto__":{"label":"x"}}'],
    ["an unknown field", '{"label":"x","admin":true}'],
    ["a list", "[]"],
    ["invalid JSON", "{"],
    ["a large body", JSON.stringify({ label: "x".repeat(40_000) })],
    ["deep nesting", `${"[".repeat(10_000)}${"]".repeat(10_000)}`],
  ])("a body with %s is refused", async (_name, body) => {
    const cookie = await console.signIn();
    const { status } = await console.send("keys", { cookie, body });
    expect([400, 413]).toContain(status);
  });

  it.each([
    "/console//attacker.example",
    "/console/%2e%2e/package.json",
    "/console/..%2f..%2fpackage.json",
    "/console/index.html",
    "/%5cattacker.example",
    "/console/api/../console.js",
  ])("%s neither redirects to another site nor returns a file", async (path) => {
    const response = await fetch(`${console.url}${path}`, { redirect: "manual" });
    const location = response.headers.get("location");
    if (location !== null) expect(location).toBe("/console/");
    else expect([200, 401, 404]).toContain(response.status);
    if (response.status === 200) expect(response.headers.get("content-type")).toMatch(/javascript|html/);
    expect(await response.text()).not.toContain("devDependencies");
  });

  it("pages have a strict content security policy, and no response can be framed, sniffed, cached or read by other sites", async () => {
    for (const path of ["/console/", "/console/console.js", "/console/api/session"]) {
      const { headers } = await fetch(`${console.url}${path}`);
      expect(headers.get("content-security-policy")).toContain("default-src 'none'");
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      expect(headers.get("content-security-policy")).not.toContain("unsafe");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("cache-control")).toBe("no-store");
      expect(headers.get("access-control-allow-origin")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
    }
  });

  it("an error reveals neither the database nor the code", async () => {
    const cookie = await console.signIn();
    const response = await console.send("keys/99999999999999999", { cookie, body: {} });
    expect(await response.json()).toEqual({ error: 'Invalid value "99999999999999999" for the request: expected the id of a key.' });
    await testDatabase.database.query("ALTER TABLE operator_actions RENAME TO hidden_actions");
    const failed = await console.send("log", { cookie }).finally(() => query("ALTER TABLE hidden_actions RENAME TO operator_actions"));
    expect([failed.status, await failed.json()]).toEqual([500, { error: "The request failed; the log has the reason." }]);
  });
});
