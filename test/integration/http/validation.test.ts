import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import type { Handlers } from "../../../generated/handlers.gen.ts";
import { buildModel } from "../../../generator/model/build-model.ts";
import type { Model } from "../../../generator/model/model.ts";
import type { RequestScope } from "../../../runtime/http/compute-response.ts";
import type { OpenApiDocument } from "../../../runtime/http/openapi-document.ts";
import type { ValidationMode } from "../../../runtime/http/validation/validation.ts";
import { RequestError } from "../../../runtime/lib/request-error.ts";
import { requestOf } from "../../contract/request-cases.ts";
import { type Document, readDocument } from "../../support/document.ts";
import { realCatalog } from "../../support/generator/model/catalogs.ts";
import { errorEnvelope, type Harness, startHarness } from "./harness.ts";

const groups = ["historical"];
const chains = [
  { id: 31337, name: "demo", groups },
  { id: 1, name: "eth-mainnet", groups },
];

/** An invalid response from getAllChains: a number instead of a name, and no time. */
const invalidData = { items: [{ name: 7 }] };

let document: Document;
let model: Model;
let examples: ReadonlyMap<string, unknown>;

beforeAll(async () => {
  document = await readDocument();
  model = buildModel(await realCatalog(), new Map());
  const live = model.operations.filter(({ status }) => status === "live");
  examples = new Map(
    live.map(({ handler, path }) => {
      const media = document.paths[path]?.get?.responses["200"]?.content?.["application/json"] as {
        readonly example: { readonly data: unknown };
      };
      return [handler, media.example.data];
    }),
  );
});

/** Starts a server whose resolvers return the documented responses, except for those in `responses`. */
function start(validate: ValidationMode, responses: Readonly<Record<string, () => unknown>> = {}): Promise<Harness> {
  const documented = [...examples].map(([handler, data]) => [handler, async () => data]);
  const overrides = Object.entries(responses).map(([handler, respond]) => [handler, async () => respond()]);
  const stubs = Object.fromEntries([...documented, ...overrides]) as Handlers<RequestScope>;
  return startHarness(stubs, { validate, document: document as unknown as OpenApiDocument, chains });
}

const logEntries = (app: Harness, message: string): unknown[] =>
  app.lines.map((line) => JSON.parse(line) as { readonly msg: string }).filter(({ msg }) => msg === message);

const violationMessage = "Response violates the OpenAPI document";

describe("an invalid response", () => {
  it("becomes a 500 in strict mode, and is logged with the operation, JSON pointers and the request id", async () => {
    const app = await start("strict", { getAllChains: () => invalidData });
    const { status, body, headers } = await app.get("/v1/chains/");
    expect([status, body]).toEqual([500, errorEnvelope(500, expect.stringContaining(String(headers["x-request-id"])))]);
    expect(headers["x-credits"]).toBe("0");
    const [entry, ...others] = logEntries(app, violationMessage);
    expect(entry).toMatchObject({ requestId: headers["x-request-id"], operation: "getAllChains", status: 200 });
    expect((entry as { violations: unknown[] }).violations).toContainEqual({
      pointer: "/data/updated_at",
      reason: "must have required property 'updated_at'",
    });
    expect(others).toEqual([]);
    await app.end();
  });

  it("is sent and logged in sample mode, and only sent when validation is off", async () => {
    for (const [mode, count] of [
      ["sample", 1],
      ["off", 0],
    ] as const) {
      const app = await start(mode, { getAllChains: () => invalidData });
      const { status, body, headers } = await app.get("/v1/chains/");
      expect([status, body.data]).toEqual([200, invalidData]);
      const entries = logEntries(app, violationMessage);
      expect(entries.length).toBe(count);
      if (count === 1)
        expect(entries[0]).toMatchObject({
          requestId: headers["x-request-id"],
          operation: "getAllChains",
          violations: [{ pointer: "/data" }],
        });
      await app.end();
    }
  });

  it("becomes a 500 in strict mode for CSV, for HEAD and for an undocumented status", async () => {
    const app = await start("strict", {
      getAllChains: () => invalidData,
      getBlock: () => {
        throw new RequestError(409 as 404, "A conflict.");
      },
    });
    expect((await app.get("/v1/chains/?format=csv")).status).toBe(500);
    expect((await app.withoutKey().head("/v1/chains/").set("Authorization", `Bearer ${app.key}`)).status).toBe(500);
    expect((await app.get("/v1/demo/block_v2/1/")).status).toBe(500);
    expect(logEntries(app, violationMessage).at(-1)).toMatchObject({
      operation: "getBlock",
      status: 409,
      violations: [{ pointer: "", reason: "status 409 is not documented" }],
    });
    await app.end();
  });
});

describe("strict and sample mode", () => {
  let strict: Harness;
  let sample: Harness;
  beforeAll(async () => {
    [strict, sample] = await Promise.all([start("strict"), start("sample")]);
  });
  afterAll(() => Promise.all([strict?.end(), sample?.end()]));

  const volatile = ["date", "x-request-id", "ratelimit-remaining", "ratelimit-reset"];

  async function expectSame(path: string, method: "get" | "head" | "options" | "post" = "get"): Promise<number> {
    const [left, right] = await Promise.all(
      [strict, sample].map(async (app) => {
        const { status, text, headers } = await app.withoutKey()[method](path).set("Authorization", `Bearer ${app.key}`).buffer(true);
        const stableHeaders = Object.fromEntries(Object.entries(headers).filter(([name]) => !volatile.includes(name)));
        return { status, text, headers: stableHeaders };
      }),
    );
    expect(left, path).toEqual(right);
    return left?.status ?? 0;
  }

  it("return the same bytes for every operation's example, in JSON and CSV", async () => {
    for (const operation of model.operations) {
      // The server has no Bitcoin chain.
      const expected = operation.id === "getProtocol03Transactions" ? 400 : 200;
      expect(await expectSame(requestOf(operation).target), operation.id).toBe(expected);
      expect(await expectSame(requestOf(operation, { values: { format: ["csv"] } }).target), operation.id).toBe(expected);
    }
  });

  it("treat slashes, encodings, HEAD, OPTIONS, methods, unknown keys and lenient values identically", async () => {
    const wallet = `0x${"A1".repeat(20)}`;
    const cases: readonly (readonly [string, number])[] = [
      ["/v1/chains", 200],
      ["/v1/chains/?", 200],
      ["/v1/chains/?unknown=1&unknown=2&%5B%5D=", 200],
      ["/v1/xy%3Dk/supported_dexes/", 200],
      ["/v1/demo/block_v2/%201%20/", 200],
      ["/v1/demo/event/erc20/gas_prices/?quote-currency=eur", 200],
      ["/v1/demo/events/?topics=0x1,%200x2&page-size=", 200],
      [`/v1/demo/events/address/${wallet}/?format=csv&page-size=10000`, 200],
      [`/v1/demo/events/address/${wallet}/?page-size=0x10`, 400],
      [`/v1/demo/events/address/${wallet}/?page-size=1e3`, 400],
      [`/v1/demo/events/address/${wallet}/?page-size=5&page-size=6`, 400],
      ["/v1/nowhere/block_v2/1/", 400],
      ["/v1/no/such/path/", 404],
      ["/healthz", 200],
    ];
    for (const [path, status] of cases) expect(await expectSame(path), path).toBe(status);
    expect(await expectSame("/v1/chains/", "head")).toBe(200);
    expect(await expectSame("/v1/chains/", "options")).toBe(204);
    expect(await expectSame("/v1/chains/", "post")).toBe(405);
  });
});

test("strict mode refuses a request that the parsers accept but the document does not allow", async () => {
  const restrictedDocument = structuredClone(document) as unknown as { paths: Record<string, { get: { parameters: object[] } }> };
  const path = "/v1/{chainName}/block_v2/{blockHeight}/";
  const parameters = restrictedDocument.paths[path]?.get.parameters ?? [];
  parameters.splice(
    0,
    parameters.length,
    ...["chainName", "blockHeight"].map((name) => ({ name, in: "path", required: true, schema: { type: "string", pattern: "^[a-z]+$" } })),
  );
  const app = await startHarness({}, { validate: "strict", document: restrictedDocument as unknown as OpenApiDocument });
  const { status, body } = await app.get("/v1/demo/block_v2/7/");
  expect([status, body]).toEqual([501, expect.anything()]);
  const strictApp = await startHarness(
    { getBlock: async () => ({}) },
    { validate: "strict", document: restrictedDocument as unknown as OpenApiDocument },
  );
  const response = await strictApp.get("/v1/demo/block_v2/7/");
  expect(response.body).toEqual(
    errorEnvelope(400, expect.stringMatching(/^Request to getBlock violates the OpenAPI document: .*blockHeight.* must match pattern/)),
  );
  await Promise.all([app.end(), strictApp.end()]);
});
