import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

let app: Harness;
let now = new Date("2026-11-23T12:00:00Z");
/** Milliseconds that are added to the clock, to let cached key lookups expire. */
let elapsed = 0;
beforeAll(async () => {
  app = await startHarness(
    {
      getAllChains: async () => ({ items: [] }),
      getBlock: async () => ({ items: [] }),
      getCommunityBalances: async () => ({ items: [], pagination: null }),
    },
    {
      now: () => now,
      clock: { now: () => performance.now() + elapsed },
      trustedProxies: ["loopback"],
      chainOfProtocol: () => ({ id: 1, name: "eth-mainnet" }),
    },
  );
});
afterAll(() => app.end());

const block = (chain: string) => `/v1/${chain}/block_v2/1/`;
const send = (key: string, headers: Readonly<Record<string, string>> = {}, path = block("demo")) =>
  app
    .withoutKey()
    .get(path)
    .set({ Authorization: `Bearer ${key}`, ...headers });
const outcome = async (key: string, headers?: Readonly<Record<string, string>>, path?: string) => {
  const { status, body } = await send(key, headers, path);
  return status === 200 ? 200 : `${status} ${body.error_message}`;
};

describe("a key that expires", () => {
  it("receives 401 with its expiry time once it has expired, without a new lookup, until the expiry is changed", async () => {
    const { id, key } = await app.keys.create({ label: "expires", expiresAt: new Date("2026-11-23T13:00:00Z") });
    now = new Date("2026-11-23T12:59:59.999Z");
    expect(await outcome(key)).toBe(200);
    now = new Date("2026-11-23T13:00:00Z");
    const { status, body, headers } = await send(key);
    expect([status, body]).toEqual([
      401,
      errorEnvelope(401, "Expired API key: it expired at 2026-11-23T13:00:00.000Z; ask the operator for a new one."),
    ]);
    expect(headers["www-authenticate"]).toContain("Bearer");
    await app.keys.update(id, { expiresAt: "never" });
    elapsed += 4_000;
    expect(await outcome(key)).toBe(200);
    await app.keys.revoke(id);
    elapsed += 4_000;
    expect(await outcome(key)).toMatch(/^401 Unknown or revoked API key/);
  });
});

describe("a key that is limited to chains", () => {
  it("is accepted for these chains, by name or id", async () => {
    for (const allowed of ["demo", "31337"]) {
      const { key } = await app.keys.create({ label: allowed, access: { chains: [allowed] } });
      expect(await outcome(key, {}, block("demo"))).toBe(200);
      expect(await outcome(key, {}, block("31337"))).toBe(200);
      const refused = `403 Chain not allowed: this key is not allowed on eth-mainnet, only on ${allowed}.`;
      expect(await outcome(key, {}, block("eth-mainnet"))).toBe(refused);
      expect(await outcome(key, {}, block("1"))).toBe(refused);
    }
  });

  it("receives 403 from endpoints that cover all chains, regardless of parameters", async () => {
    const { key } = await app.keys.create({ label: "one chain", access: { chains: ["demo"] } });
    for (const path of ["/v1/chains/", "/v1/chains/?chain-name=demo"])
      expect(await outcome(key, {}, path)).toBe(
        "403 Chain required: this endpoint reads all chains, and this key is only allowed on demo.",
      );
  });

  it("is checked against the protocol's chain if the request does not specify one", async () => {
    const { key } = await app.keys.create({ label: "one chain", access: { chains: ["demo"] } });
    const path = `/v1/cq/provider/app/protocol_02/balances/?address=0x${"11".repeat(20)}`;
    for (const chain of ["", "&chain-name=", "&chain-name=%20", "&chain-name=eth-mainnet", "&chain-name=1"])
      expect(await outcome(key, {}, path + chain)).toBe("403 Chain not allowed: this key is not allowed on eth-mainnet, only on demo.");
    expect(await outcome(key, {}, `${path}&chain-name=demo`)).toBe(200);
    // The endpoint's parser reports invalid values.
    expect(await outcome(key, {}, `${path}&chain-name=none`)).toMatch(/^400/);
    expect(await outcome(key, {}, `${path}&chain-name=demo&chain-name=eth-mainnet`)).toMatch(/^400/);
  });
});

describe("a key that is limited to origins", () => {
  it("receives 403 from other pages, and without the header", async () => {
    const { id, key } = await app.keys.create({ label: "page", access: { origins: ["https://app.example"] } });
    expect(await outcome(key, { Origin: "https://app.example" })).toBe(200);
    for (const origin of ["https://other.example", "http://app.example", "https://app.example:8443", "https://app.example.evil", "null"])
      expect(await outcome(key, { Origin: origin })).toBe(`403 Origin not allowed: this key is not allowed from "${origin}".`);
    const { status, body, headers } = await send(key);
    expect([status, body.error_message]).toEqual([
      403,
      "Origin required: this key is limited to web pages of certain origins, and the request has no Origin header.",
    ]);
    // Pages from any origin can read the reason.
    expect(headers["access-control-allow-origin"]).toBe("*");
    await app.keys.update(id, { access: { origins: [] } });
    elapsed += 4_000;
    expect(await outcome(key)).toBe(200);
  });
});

describe("a key that is limited to addresses", () => {
  it("receives 403 from other clients, as the trusted proxy reports them", async () => {
    const { key } = await app.keys.create({ label: "office", access: { addresses: ["192.0.2.7", "10.0.0.0/8", "2001:db8::/32"] } });
    const from = (address: string) => outcome(key, { "X-Forwarded-For": address });
    for (const address of ["192.0.2.7", "10.255.0.1", "::ffff:10.1.2.3", "2001:db8:1::5"]) expect(await from(address)).toBe(200);
    for (const address of ["192.0.2.8", "11.0.0.1", "::ffff:192.0.2.8", "2001:db9::1", "garbage"])
      expect(await from(address)).toBe(`403 Address not allowed: this key is not allowed from ${address}.`);
    // The test itself connects from a loopback address.
    expect(await outcome(key)).toMatch(/^403 Address not allowed/);
  });

  it("is checked before its requests are counted or their chain is parsed", async () => {
    const { id, key } = await app.keys.create({ label: "all rules", access: { addresses: ["192.0.2.7"], chains: ["demo"] } });
    const { status, headers } = await send(key, {}, block("eth-mainnet"));
    expect([status, headers["ratelimit-limit"], headers["x-credits"]]).toEqual([403, undefined, "0"]);
    expect((await app.keys.list()).find((listed) => listed.id === id)).toMatchObject({
      access: { addresses: ["192.0.2.7"], chains: ["demo"] },
      expiresAt: null,
    });
  });
});
