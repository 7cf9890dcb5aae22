import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeyCache } from "../../../runtime/http/key-cache.ts";
import { generateKey } from "../../../runtime/http/keys.ts";
import { createServer } from "../../../runtime/http/server.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

let app: Harness;
const path = "/v1/chains/";
const chains = { updated_at: "2026-01-01T00:00:00Z", items: [] };

beforeAll(async () => {
  app = await startHarness({ getAllChains: async () => chains });
});
afterAll(() => app.end());

const basic = (user: string, password = "") => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

describe("a request's key", () => {
  it("has the documented format", async () => {
    for (let count = 0; count < 50; count++) expect(generateKey()).toMatch(/^ckey_[a-f0-9]{27}$/);
    expect(app.key).toMatch(/^ckey_[a-f0-9]{27}$/);
  });

  it("is accepted as a bearer token, as the HTTP Basic user and in the query", async () => {
    for (const request of [
      app.withoutKey().get(path).set("Authorization", `Bearer ${app.key}`),
      app.withoutKey().get(path).set("Authorization", `bearer  ${app.key}`),
      app.withoutKey().get(path).set("Authorization", basic(app.key)),
      app.withoutKey().get(path).query({ key: app.key }),
      app
        .withoutKey()
        .get(path)
        .query({ key: ` ${app.key} ` }),
    ]) {
      const { status, body } = await request;
      expect(status).toBe(200);
      expect(body).toEqual({ data: chains, error: false, error_message: null, error_code: null });
    }
  });

  it("is read from the header rather than the query, even if it is invalid", async () => {
    const unknownKey = generateKey();
    expect((await app.withoutKey().get(path).query({ key: unknownKey }).set("Authorization", `Bearer ${app.key}`)).status).toBe(200);
    expect((await app.withoutKey().get(path).query({ key: app.key }).set("Authorization", `Bearer ${unknownKey}`)).status).toBe(401);
    expect((await app.withoutKey().get(path).query({ key: unknownKey }).set("Authorization", basic(app.key))).status).toBe(200);
    expect((await app.withoutKey().get(path).query({ key: app.key }).set("Authorization", basic(unknownKey))).status).toBe(401);
    expect((await app.withoutKey().get(path).query({ key: app.key }).set("Authorization", "Bearer")).status).toBe(401);
  });

  it("is required: a request without one receives 401 with the envelope and a challenge", async () => {
    const { status, body, headers } = await app.withoutKey().get(path);
    expect(status).toBe(401);
    expect(body).toEqual(errorEnvelope(401, expect.stringContaining("Missing API key")));
    expect(headers["www-authenticate"]).toContain("Bearer");
  });

  it.each(["ckey_short", `CKEY_${"a".repeat(27)}`, `ckey_${"g".repeat(27)}`, `ckey_${"A".repeat(27)}`, "' OR 1=1 --", "a".repeat(3000)])(
    "is refused if it is malformed: %s",
    async (key) => {
      const { status, body } = await app.withoutKey().get(path).query({ key });
      expect(status).toBe(401);
      expect(body).toEqual(errorEnvelope(401, expect.any(String)));
      expect(JSON.stringify(body)).not.toContain(key);
    },
  );

  it("is refused if it is sent with a password, sent twice or unknown", async () => {
    expect((await app.withoutKey().get(path).set("Authorization", basic(app.key, "secret"))).status).toBe(401);
    expect((await app.withoutKey().get(`${path}?key=${app.key}&key=${app.key}`)).status).toBe(401);
    expect((await app.withoutKey().get(path).query({ key: generateKey() })).status).toBe(401);
  });

  it("is checked before the endpoint: a planned endpoint returns 401 without a key and 501 with one", async () => {
    expect((await app.withoutKey().get("/v1/cq/provider/app/protocol_01/balances/")).status).toBe(401);
    const { status, body } = await app.get("/v1/cq/provider/app/protocol_01/balances/?page-size=bad");
    expect(status).toBe(501);
    expect(body).toEqual(errorEnvelope(501, expect.stringContaining("/v1/cq/")));
  });
});

describe("API keys", () => {
  it("are accepted immediately after their creation, and refused within 5 seconds of their revocation", async () => {
    const { id, key } = await app.keys.create({ label: "short-lived" });
    const status = async () => (await app.withoutKey().get(path).query({ key })).status;
    expect(await status()).toBe(200);
    expect(await app.keys.revoke(id)).toBe(true);
    expect(await app.keys.revoke(id)).toBe(false);
    const revokedAt = performance.now();
    while ((await status()) === 200) {
      expect(performance.now() - revokedAt).toBeLessThan(scaleTimeLimit(5000));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(await status()).toBe(401);
  });

  it("are active again if they are ensured after their revocation", async () => {
    const key = generateKey();
    const { id } = await app.keys.ensure(key, "demo");
    expect((await app.keys.ensure(key, "demo")).id).toBe(id);
    await app.keys.revoke(id);
    await app.keys.ensure(key, "demo");
    expect((await app.withoutKey().get(path).query({ key })).status).toBe(200);
  });

  it("are listed without the secret, and stored only as a SHA-256 hash", async () => {
    const { id, key } = await app.keys.create({ label: "listed", creditLimitHundredths: 250 });
    const listed = (await app.keys.list()).find((entry) => entry.id === id);
    expect(listed).toMatchObject({ label: "listed", creditLimitHundredths: 250, usedHundredths: 0, calls: 0, revokedAt: null });
    expect(JSON.stringify(await app.keys.list())).not.toContain(key);
    const rows = await app.testDatabase.database.query<{ row: string }>("SELECT api_keys::text AS row FROM api_keys");
    expect(rows.some(({ row }) => row.includes(key.slice(5)))).toBe(false);
  });
});

describe("a flood of invalid keys", () => {
  it("causes one lookup per key, even for concurrent requests", async () => {
    let lookups = 0;
    const cache = createKeyCache({
      find: (hash) => {
        lookups += 1;
        return app.keys.find(hash);
      },
    });
    const unknownKey = generateKey();
    const found = await Promise.all(Array.from({ length: 200 }, () => cache.find(unknownKey)));
    expect(found.every((key) => key === null)).toBe(true);
    expect(await cache.find(unknownKey)).toBeNull();
    expect(lookups).toBe(1);
    expect(await cache.find(app.key)).toMatchObject({ id: app.keyId });
    expect(await cache.find(app.key)).toMatchObject({ id: app.keyId });
    expect(lookups).toBe(2);
  });

  it("never blocks a key that was recently valid, even if its cached lookup has expired", async () => {
    let now = 1;
    const cache = createKeyCache(app.keys, { now: () => now });
    const refuse = () => {
      throw new Error("too many refusals");
    };
    expect(() => cache.find(app.key, refuse)).toThrow("too many refusals");
    expect(await cache.find(app.key)).toMatchObject({ id: app.keyId });
    // A lookup is valid for three seconds.
    now += 3_100;
    expect(await cache.find(app.key, refuse)).toMatchObject({ id: app.keyId });
  });

  it("is limited by address, except for known valid keys", async () => {
    // The clock does not advance, so all requests are in one window.
    const harness = await startHarness({ getAllChains: async () => chains }, { clock: { now: () => 0 } });
    try {
      const http = createServer(harness.listener);
      const { port } = await http.listen(0, "127.0.0.1");
      const send = (key: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${key}` } });
      expect((await send(harness.key)).status).toBe(200);
      const statuses = new Set<number>();
      for (let batch = 0; batch < 20 && !statuses.has(429); batch++) {
        for (const { status } of await Promise.all(Array.from({ length: 100 }, () => send(generateKey())))) statuses.add(status);
      }
      expect([...statuses].sort()).toEqual([401, 429]);
      const refused = await send(generateKey());
      expect(refused.status).toBe(429);
      expect(await refused.json()).toEqual(errorEnvelope(429, expect.stringContaining("retry in")));
      const wait = refused.headers.get("retry-after");
      expect(Number(wait)).toBeGreaterThan(0);
      const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) => refused.headers.get(`ratelimit-${name}`));
      expect([limit, remaining, reset]).toEqual(["1000", "0", wait]);
      await http.stop();
    } finally {
      await harness.end();
    }
  });
});
