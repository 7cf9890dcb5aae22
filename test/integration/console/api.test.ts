import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quantileOf } from "../../../runtime/console/api/usage.ts";
import type { ChainDetails, ChainsResponse, CreatedKey, KeyItem, LogItem, UsageResponse } from "../../../runtime/console/responses.ts";
import { createKeys, hashKey } from "../../../runtime/http/keys.ts";
import { durationBounds } from "../../../runtime/http/request-counts.ts";
import { listActions } from "../../../runtime/operator/actions.ts";
import { startTestConsole, type TestConsole } from "../../support/console.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

let testDatabase: TestDatabase;
let testConsole: TestConsole;
let cookie: string;
let endAudit: (error?: Error) => void;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  testConsole = await startTestConsole(testDatabase.database, {
    audit: (_chain, sample) =>
      new Promise((resolve, reject) => {
        endAudit = (error) => (error === undefined ? resolve({ block: 7, compared: sample, differences: 0 }) : reject(error));
      }),
  });
  cookie = await testConsole.signIn();
  await testDatabase.database.query(
    "INSERT INTO chains (chain_id, name, indexed_from, genesis_hash) VALUES (5, 'test', 0, decode(repeat('00', 32), 'hex'))",
  );
});
afterAll(async () => {
  testConsole?.close();
  await testDatabase?.drop();
});

const read = async <T>(path: string): Promise<T> => (await (await testConsole.send(path, { cookie })).json()) as T;
const change = async (path: string, body: unknown): Promise<{ status: number; body: unknown }> => {
  const response = await testConsole.send(path, { cookie, body });
  return { status: response.status, body: await response.json() };
};
const keyOf = async (id: number): Promise<KeyItem | undefined> => (await read<KeyItem[]>("keys")).find((key) => key.id === id);

describe("keys", () => {
  it("are created with all settings, shown once, and logged without the secret", async () => {
    const settings = {
      label: "team",
      credits: 5_000,
      dailyCredits: 100,
      monthlyCredits: null,
      expiresAt: "2030-01-31T12:00:00Z",
      access: { chains: ["test"], origins: ["https://app.example.com"], addresses: ["10.0.0.0/8"] },
      limits: { concurrentRequests: 3 },
    };
    const { status, body } = await change("keys", settings);
    const { id, key } = body as CreatedKey;
    expect([status, key]).toEqual([201, expect.stringMatching(/^ckey_[0-9a-f]{27}$/)]);
    expect(await createKeys(testDatabase.database).find(hashKey(key))).toMatchObject({
      id,
      creditLimitHundredths: 500_000,
      limits: { concurrentRequests: 3 },
    });
    expect(await keyOf(id)).toMatchObject({
      ...settings,
      expiresAt: "2030-01-31T12:00:00.000Z",
      calls: 0,
      lastUsedAt: null,
      revokedAt: null,
    });
    expect(JSON.stringify(await read("keys"))).not.toContain(key);
    const [action] = await listActions(testDatabase.database, 1);
    expect(action).toMatchObject({ actor: "operator@test (console)", action: "key.create", subject: `${id}`, details: settings });
    expect(JSON.stringify(action)).not.toContain(key);
  });

  it("are updated: absent fields are unchanged, null removes a limit, and an empty list removes a rule", async () => {
    const { id } = (await change("keys", { label: "one", credits: 10, access: { chains: ["test"] }, limits: { concurrentRequests: 3 } }))
      .body as CreatedKey;
    expect((await change(`keys/${id}`, { dailyCredits: 4 })).status).toBe(200);
    expect(await keyOf(id)).toMatchObject({
      label: "one",
      credits: 10,
      dailyCredits: 4,
      access: { chains: ["test"] },
      limits: { concurrentRequests: 3 },
    });
    expect(
      (await change(`keys/${id}`, { label: "two", credits: null, access: { chains: [] }, limits: { concurrentRequests: "default" } }))
        .status,
    ).toBe(200);
    expect(await keyOf(id)).toMatchObject({ label: "two", credits: null, dailyCredits: 4, access: {}, limits: {} });
  });

  it("can be revoked only once", async () => {
    const { id, key } = (await change("keys", { label: "old" })).body as CreatedKey;
    expect((await change(`keys/${id}/revoke`, {})).status).toBe(200);
    expect(await createKeys(testDatabase.database).find(hashKey(key))).toBeNull();
    expect(await change(`keys/${id}/revoke`, {})).toEqual({ status: 404, body: { error: `No active key with the id ${id}.` } });
    expect((await change(`keys/${id}`, { label: "again" })).status).toBe(404);
  });

  it.each([
    [{ label: "" }, "label"],
    [{ label: "x", credits: 1.5 }, "credits"],
    [{ label: "x", credits: -1 }, "credits"],
    [{ label: "x", credits: 1e15 }, "credits"],
    [{ label: "x", credits: "many" }, "credits"],
    [{ label: "x", expiresAt: "2027-02-31T00:00:00Z" }, "expiresAt"],
    [{ label: "x", access: { origins: ["https://app.example.com/path"] } }, "access.origins.0"],
    [{ label: "x", access: { addresses: ["10.0.0.0/99"] } }, "access.addresses.0"],
    [{ label: "x", access: { chains: ["../etc"] } }, "access.chains.0"],
    [{ label: "x", limits: { concurrentRequests: 0 } }, "limits.concurrentRequests"],
  ])("are refused with the field's name for %j, and nothing is created", async (body, field) => {
    const before = (await read<KeyItem[]>("keys")).length;
    const refused = await change("keys", body);
    expect(refused.status).toBe(400);
    expect((refused.body as { error: string }).error).toMatch(
      new RegExp(`^Invalid value .* for ${field.replaceAll(".", "\\.")}: expected `),
    );
    expect((await read<KeyItem[]>("keys")).length).toBe(before);
  });
});

describe("usage", () => {
  it("sums credits, requests, errors and durations by day, key and endpoint", async () => {
    const { id } = (await change("keys", { label: "=1+1" })).body as CreatedKey;
    await testDatabase.database.query(
      "INSERT INTO credit_usage (key_id, day, operation, calls, hundredths) VALUES ($1, '2026-03-01', 'getBlock', 4, 400), ($1, '2026-03-02', 'getBlock', 1, 50), ($1, '2026-03-02', 'getLogs', 2, 300)",
      [id],
    );
    // Bucket 4 has durations from 10 to 25 ms, and bucket 6 from 50 to 100 ms.
    expect([durationBounds[3], durationBounds[4], durationBounds[5], durationBounds[6]]).toEqual([0.01, 0.025, 0.05, 0.1]);
    await testDatabase.database.query(
      "INSERT INTO key_requests VALUES ($1, '2026-03-01', 'getBlock', 4, 3, 0, '2026-03-01T10:00:00Z'), ($1, '2026-03-01', 'getBlock', 6, 1, 1, '2026-03-01T11:00:00Z')",
      [id],
    );
    const usage = await read<UsageResponse>(`usage?from=2026-03-01&to=2026-03-02&key=${id}`);
    // p50 is the 2nd of 4 values: 2/3 of the way from 10 to 25 ms. p99 is at 3.96: 96 % of the way from 50 to 100 ms.
    const first = { name: "2026-03-01", credits: 4, requests: 4, errors: 1, p50: 20, p99: 98 };
    expect(usage.days).toEqual([first, { name: "2026-03-02", credits: 3.5, requests: 0, errors: 0, p50: null, p99: null }]);
    expect(usage.keys).toEqual([{ ...first, name: `${id}`, label: "=1+1", credits: 7.5 }]);
    expect(usage.operations.map(({ name, credits, requests }) => [name, credits, requests])).toEqual([
      ["getBlock", 4.5, 4],
      ["getLogs", 3, 0],
    ]);
    expect((await read<UsageResponse>(`usage?from=2026-03-02&to=2026-03-02&operation=getLogs&key=${id}`)).days).toMatchObject([
      { credits: 3 },
    ]);
    expect(await keyOf(id)).toMatchObject({ lastUsedAt: "2026-03-01T11:00:00.000Z" });

    const csv = await (await testConsole.send(`usage.csv?from=2026-03-01&to=2026-03-02&key=${id}`, { cookie })).text();
    // The apostrophe keeps spreadsheets from evaluating the label.
    expect(parse(csv)).toEqual([
      ["day", "key", "label", "operation", "successful", "credits", "requests", "errors", "p50_ms", "p99_ms"],
      ["2026-03-01", `${id}`, "'=1+1", "getBlock", "4", "4", "4", "1", "20", "98"],
      ["2026-03-02", `${id}`, "'=1+1", "getBlock", "1", "0.5", "0", "0", "", ""],
      ["2026-03-02", `${id}`, "'=1+1", "getLogs", "2", "3", "0", "0", "", ""],
    ]);
  });

  it("has no quantile without values, and returns the last bound for values above it", () => {
    expect(quantileOf(new Array<number>(15).fill(0), 0.5)).toBeNull();
    expect(quantileOf([...new Array<number>(14).fill(0), 1], 0.5)).toBe(15_000);
  });

  it.each([
    "usage",
    "usage?from=2026-03-02&to=2026-03-01",
    "usage?from=2024-01-01&to=2026-01-01",
    "usage?from=today&to=2026-01-01",
    "usage?from=2026-01-01&from=2026-01-02&to=2026-01-02",
    "usage?from=2026-01-01&to=2026-01-02&key=1%27",
  ])("refuses %s", async (path) => expect((await testConsole.send(path, { cookie })).status).toBe(400));
});

describe("chains", () => {
  it("are paused and resumed, and each action is logged", async () => {
    expect((await change("chains/test/pause", {})).body).toEqual({ message: "Paused: the chain's indexer stops within seconds." });
    expect(await read<ChainDetails>("chains/test")).toMatchObject({ name: "test", state: "paused", block: null });
    expect((await change("chains/test/resume", {})).status).toBe(200);
    expect(await read<ChainDetails>("chains/test")).toMatchObject({ state: "indexing" });
    const actions = await listActions(testDatabase.database, 2);
    expect(actions.map(({ actor, action, subject }) => [actor, action, subject])).toEqual([
      ["operator@test (console)", "chain.resume", "test"],
      ["operator@test (console)", "chain.pause", "test"],
    ]);
    const logged = await read<LogItem[]>("log");
    expect(logged.slice(0, 2)).toMatchObject([{ action: "chain.resume" }, { action: "chain.pause" }]);
    // The actions before the resumption.
    expect(await read(`log?before=${logged[0]?.id}`)).toEqual(logged.slice(1));
  });

  it("are audited one at a time, and the result is stored", async () => {
    expect((await change("chains/test/audit", { sample: 20 })).status).toBe(200);
    expect((await change("chains/test/audit", { sample: 20 })).status).toBe(409);
    expect((await change("chains/test/remove", { name: "test" })).status).toBe(409);
    endAudit();
    const ended = async () => (await read<ChainDetails>("chains/test")).task?.result !== null;
    await until("the audit", ended);
    expect(await read<ChainDetails>("chains/test")).toMatchObject({
      lastAudit: { block: 7, compared: 20, differences: 0 },
      task: { kind: "audit", result: "20 values compared at block 7: 0 differences.", hasFailed: false },
    });
    await change("chains/test/audit", { sample: 20 });
    endAudit(new Error("http://user:secret@node.example/ failed"));
    await until("the failed audit", ended);
    const { task } = await read<ChainDetails>("chains/test");
    expect(task?.hasFailed).toBe(true);
    expect(task?.result).not.toContain("secret");
  });

  it.each([
    ["pause", { force: true }],
    ["retry-jobs", { queues: ["other"] }],
    ["retry-jobs", {}],
    ["refresh-metadata", { contract: "0x12" }],
    ["audit", { sample: 0 }],
    ["audit", { sample: 1_001 }],
    ["remove", { name: "Test" }],
    ["remove", {}],
  ])("refuse %s with %j", async (action, body) => expect((await change(`chains/test/${action}`, body)).status).toBe(400));

  it.each(["chains/other", "chains/constructor", "chains/test%27"])("return 404 for the unknown path %s", async (path) => {
    expect((await testConsole.send(path, { cookie })).status).toBe(404);
    expect((await change(`${path}/pause`, {})).status).toBe(404);
  });
  it.each(["explode", "constructor", "__proto__"])("return 404 for the unknown action %s", async (action) =>
    expect((await change(`chains/test/${action}`, {})).status).toBe(404),
  );

  it("are removed if the request contains their name", async () => {
    expect((await change("chains/test/remove", { name: "test" })).status).toBe(200);
    await until("the removal", async () => (await read<ChainsResponse>("chains")).chains.length === 0);
    expect((await listActions(testDatabase.database, 2)).map(({ action }) => action)).toEqual(["chain.remove", "chain.remove"]);
  });
});
