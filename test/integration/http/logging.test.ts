import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generateKey } from "../../../runtime/http/keys.ts";
import { redactMessage } from "../../../runtime/http/redact.ts";
import { readDocument } from "../../support/document.ts";
import { type Harness, startHarness } from "./harness.ts";

let app: Harness;
const statement = 'select "hash" from "api_keys" where "id" = $1';

beforeAll(async () => {
  app = await startHarness({
    getAllChains: async () => ({ items: [] }),
    getAllChainStatus: async () => {
      throw Object.assign(new Error(`${statement} - relation "api_keys" does not exist, see /srv/ashlar/runtime/queries.ts:12`), {
        code: "42P01",
      });
    },
    getLogs: async () => {
      throw new Error(`connect to postgresql://user:hunter2@db/ashlar failed with ${app.key}`);
    },
  });
});
afterAll(() => app.end());

const takeLog = () => app.lines.splice(0).join("");

describe("the log", () => {
  it("has one line per request, with its id, endpoint, key id, status and cost", async () => {
    takeLog();
    const { headers } = await app.get("/v1/chains/?format=json");
    const line = JSON.parse(takeLog());
    expect(line).toMatchObject({
      msg: "Request",
      requestId: headers["x-request-id"],
      method: "GET",
      path: "/v1/chains/",
      query: "format=json",
      status: 200,
      complete: true,
      operation: "getAllChains",
      keyId: app.keyId,
      hundredths: 1,
    });
  });

  it("never contains a key, regardless of where it was sent", async () => {
    const unknownKey = generateKey();
    for (const key of [app.key, unknownKey]) {
      const basic = Buffer.from(`${key}:`).toString("base64");
      await app.withoutKey().get("/v1/chains/").query({ key });
      await app
        .withoutKey()
        .get("/v1/chains/")
        .query({ KEY: key, api_key: key, [key]: "x" });
      await app.withoutKey().get("/v1/chains/").set("Authorization", `Bearer ${key}`);
      await app.withoutKey().get("/v1/chains/").set("Authorization", `Basic ${basic}`).set("X-Request-Id", key);
      await app.withoutKey().get(`/v1/${key}/events/?key=${key}&x=%63key_${key.slice(5)}`);
      await app.withoutKey().get(`/v1/%63key_${key.slice(5)}/nothing/`);
      const text = takeLog();
      expect(text).toContain('"path"');
      expect(text).not.toContain(key.slice(5));
      expect(text).not.toContain(basic);
    }
  });

  it("contains an unexpected error with its request id, without SQL, stack, file names, passwords or keys", async () => {
    for (const path of ["/v1/chains/status/", "/v1/demo/events/"]) {
      const { headers, text } = await app.get(path);
      const [logLine] = takeLog().split("\n");
      expect(JSON.parse(logLine ?? "")).toMatchObject({
        msg: "Request failed",
        requestId: headers["x-request-id"],
        status: 500,
        error: "Error",
      });
      for (const secret of ["select ", "    at ", ".ts", "/srv", "hunter2", app.key]) {
        expect(logLine).not.toContain(secret);
        expect(text).not.toContain(secret);
      }
    }
  });

  it("contains messages with only secrets redacted", () => {
    expect(redactMessage(`${statement} - relation "api_keys" does not exist`)).toBe('relation "api_keys" does not exist');
    expect(redactMessage("ENOENT: no such file or directory, open '/srv/ashlar/a.json'")).toBe(
      "ENOENT: no such file or directory, open '[path]'",
    );
    expect(redactMessage("The response of getBlock is invalid: /data/height must be number")).toContain("must be number");
  });
});

describe("response validation", () => {
  const invalid = { items: [{ name: 7 }] };

  it("refuses an invalid response in strict mode, and accepts a valid one", async () => {
    const valid = { updated_at: "2026-01-01T00:00:00Z", items: [] };
    let response: unknown = invalid;
    const strictApp = await startHarness(
      { getAllChains: async () => response },
      { validate: "strict", document: { ...(await readDocument()) } },
    );
    expect((await strictApp.get("/v1/chains/")).status).toBe(500);
    expect(strictApp.lines.join("")).toContain("Response violates the OpenAPI document");
    response = valid;
    expect((await strictApp.get("/v1/chains/")).status).toBe(200);
    await strictApp.end();
  });

  it("only logs an invalid response in sample mode", async () => {
    const sampleApp = await startHarness({ getAllChains: async () => invalid }, { validate: "sample" });
    expect((await sampleApp.get("/v1/chains/")).status).toBe(200);
    expect(sampleApp.lines.join("")).toContain("Response violates the OpenAPI document");
    await sampleApp.end();
  });
});
