import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../../generated/operations.gen.ts";
import { buildModel } from "../../../generator/model/build-model.ts";
import type { Model } from "../../../generator/model/model.ts";
import { parseQuery } from "../../../runtime/http/query.ts";
import { createOpenApiChecks, type OpenApiChecks } from "../../../runtime/http/validation/openapi-checks.ts";
import { type Document, readDocument } from "../../support/document.ts";
import { realCatalog } from "../../support/generator/model/catalogs.ts";

type Body = Record<string, unknown>;

let document: Document;
let model: Model;
let checks: OpenApiChecks;

beforeAll(async () => {
  document = await readDocument();
  model = buildModel(await realCatalog(), new Map());
  checks = createOpenApiChecks({ ...document });
});

function operationOf(id: string) {
  const operation = operations.find((candidate) => candidate.id === id);
  if (operation === undefined) throw new Error(`Unknown operation ${id}.`);
  return operation;
}

function exampleOf(path: string): Body {
  const media = document.paths[path]?.get?.responses["200"]?.content?.["application/json"] as { readonly example: Body };
  return structuredClone(media.example);
}

const wallet = `0x${"a1".repeat(20)}`;
const checkLogsRequest = (query: string, path: Record<string, string> = {}) =>
  checks.checkRequest(operationOf("getLogEventsByAddress"), { chainName: "demo", contractAddress: wallet, ...path }, parseQuery(query));

describe("strict checks", () => {
  it("accept every operation's documented response and example request", async () => {
    for (const operation of operations) {
      const { parameters } = model.operations.find(({ id }) => id === operation.id) ?? { parameters: [] };
      const valuesIn = (location: string) =>
        Object.fromEntries(
          parameters
            .filter((parameter) => parameter.required && parameter.in === location)
            .map(({ name, example }) => [name, String(example)]),
        );
      expect(await checks.checkRequest(operation, valuesIn("path"), valuesIn("query")), operation.id).toBeNull();
      expect(await checks.checkResponse(operation, 200, exampleOf(operation.path)), operation.id).toEqual([]);
    }
  });

  it("accept values that only the parsers accept: white space, empty and unknown parameters, any case, CSV page sizes", async () => {
    for (const query of [
      "",
      "page-size=",
      "page-size=%2010%20",
      "unknown=1&unknown=2&%5B%5D=",
      "key=ckey_0",
      "format=csv&page-size=10000",
    ]) {
      expect(await checkLogsRequest(query), query).toBeNull();
    }
    expect(await checkLogsRequest("", { chainName: " demo ", contractAddress: `${wallet} ` })).toBeNull();
    const gas = { chainName: "demo", eventType: "erc20" };
    expect(await checks.checkRequest(operationOf("getGasPrices"), gas, parseQuery("quote-currency=eur"))).toBeNull();
    const topics = parseQuery("topics=0x1%20,%200x2");
    expect(await checks.checkRequest(operationOf("getLogs"), { chainName: "demo" }, topics)).toBeNull();
  });

  it("report an invalid request's parameter", async () => {
    expect(await checkLogsRequest("page-size=100000")).toMatch(/page-size.* must be <= /);
    expect(await checkLogsRequest("", { contractAddress: "0x12" })).toMatch(/contractAddress.* must match pattern/);
  });

  it("report the pointer and the reason for every violation in a response", async () => {
    const operation = operationOf("getBlock");
    const body = exampleOf(operation.path) as { data: { items: Body[] } };
    const [row = {}] = body.data.items;
    row.height = "5";
    delete row.block_hash;
    expect(await checks.checkResponse(operation, 200, body)).toEqual([
      { pointer: "/data/items/0/block_hash", reason: "must have required property 'block_hash'" },
      { pointer: "/data/items/0/height", reason: "must be integer" },
    ]);
  });

  it("validate the serialized response, and report a field that JSON omits as missing", async () => {
    const operation = operationOf("getBlock");
    const body = exampleOf(operation.path);
    expect(await checks.checkResponse(operation, 200, { ...body, error_code: undefined })).toMatchObject([{ pointer: "/error_code" }]);
  });

  it("validate error responses below 500, including their status", async () => {
    const operation = operationOf("getBlock");
    const failure = { data: null, error: true, error_message: "It failed.", error_code: 404 };
    expect(await checks.checkResponse(operation, 404, failure)).toEqual([]);
    expect(await checks.checkResponse(operation, 404, { ...failure, stack: "Error" })).toMatchObject([
      { reason: "must NOT have additional properties" },
    ]);
    expect(await checks.checkResponse(operation, 418, failure)).toEqual([{ pointer: "", reason: "status 418 is not documented" }]);
    expect(await checks.checkResponse(operation, 599, failure)).toEqual([]);
  });
});
