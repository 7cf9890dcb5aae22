import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { OpenAPIObject, OperationObject, ParameterObject, ResponsesObject } from "openapi3-ts/oas31";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openApiDocument } from "../../../../generator/emit/openapi/document.ts";
import { renderYaml } from "../../../../generator/emit/yaml.ts";
import { buildModel } from "../../../../generator/model/build-model.ts";
import type { Model } from "../../../../generator/model/model.ts";
import { endpoint, realCatalog, repository, smallCatalog } from "../../../support/generator/model/catalogs.ts";

let model: Model;
let document: OpenAPIObject;
let operations: readonly OperationObject[];

beforeAll(async () => {
  model = buildModel(await realCatalog(), new Map());
  document = openApiDocument(model);
  operations = Object.values(document.paths ?? {}).map((item) => item.get as OperationObject);
});

const operation = (id: string): OperationObject => {
  const found = operations.find((candidate) => candidate.operationId === id);
  if (found === undefined) throw new Error(`Unknown operation ${id} in the document.`);
  return found;
};

const success = (responses: ResponsesObject = {}) => responses["200"];

describe("the OpenAPI document", () => {
  it("is valid against the OpenAPI 3.1 meta-schema", async () => {
    const directory = join(createRequire(import.meta.url).resolve("express-openapi-validator"), "..", "framework");
    const metaSchema = JSON.parse(await readFile(join(directory, "openapi.v3_1.modified.schema.json"), "utf8"));
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { "media-range": true } });
    addFormats.default(ajv);
    const validate = ajv.compile(metaSchema);
    expect(validate(document), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
    expect(validate({ ...document, openapi: "3.0.0" })).toBe(false);
    expect(validate({ ...document, info: { title: "No version" } })).toBe(false);
  });

  it("passes the linter with the committed rules", async () => {
    const linter = join(repository, "node_modules/@redocly/cli/bin/cli.js");
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [linter, "lint", "generated/openapi.json"], { cwd: repository });
    expect(`${stdout}${stderr}`).toContain("is valid");
  });

  it("describes every operation in the catalog with GET", () => {
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(model.operations.map(({ id }) => id).sort());
    for (const item of Object.values(document.paths ?? {})) expect(Object.keys(item)).toEqual(["get"]);
  });

  it("states each operation's cost, mode, row, pagination style and status", () => {
    // Row 6 of the interface: 0.02 credits per item, realtime, with pages.
    expect(operation("getTokenHolders")).toMatchObject({
      tags: ["tokens"],
      "x-credit-cost": { credits: 0.02, per: "item" },
      "x-processing-mode": "realtime",
      "x-row": 6,
      "x-pagination": "page",
    });
    expect(operation("getProtocol03Transactions")).toMatchObject({
      "x-credit-cost": "not stated",
      "x-processing-mode": "batch",
    });
    expect(operation("getHistoricalTokenBalancesForWalletAddress")["x-networks"]).toContain("eth-mainnet");
    for (const { id, status } of model.operations) expect(operation(id)["x-status"], id).toBe(status === "planned" ? "planned" : undefined);
    for (const { id, status } of model.operations)
      expect(String(operation(id).summary).endsWith("(planned)"), id).toBe(status === "planned");
  });

  it("declares three authentication schemes for every operation", () => {
    expect(document.security).toEqual([{ bearer: [] }, { basic: [] }, { queryKey: [] }]);
    expect(document.components?.securitySchemes).toMatchObject({
      bearer: { type: "http", scheme: "bearer" },
      basic: { type: "http", scheme: "basic" },
      queryKey: { type: "apiKey", in: "query", name: "key" },
    });
    expect(operations.filter(({ security }) => security !== undefined)).toEqual([]);
  });

  it("has JSON and CSV examples and every failure for each operation, and 501 only for planned ones", () => {
    const failures = ["400", "401", "402", "403", "404", "405", "429", "500", "503"];
    for (const { operationId, responses, "x-status": status } of operations) {
      const expected = status === "planned" ? [...failures, "501"].sort() : failures;
      expect(Object.keys(responses ?? {}), operationId).toEqual(["200", ...expected]);
      const { content, headers } = success(responses);
      expect(content["application/json"].example.error, operationId).toBe(false);
      expect(content["text/csv"].example.split("\r\n").length, operationId).toBeGreaterThanOrEqual(2);
      expect(headers, operationId).toHaveProperty("X-Credits");
    }
    for (const response of Object.values(document.components?.responses ?? {})) {
      expect(response).toMatchObject({
        content: { "application/json": { example: { data: null, error: true, error_code: expect.any(Number) } } },
      });
    }
  });

  it("requires every field of a response and allows no others", () => {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      const {
        properties = {},
        required,
        additionalProperties,
      } = schema as { properties?: object; required?: unknown; additionalProperties?: unknown };
      expect(additionalProperties, name).toBe(false);
      expect(required, name).toEqual(Object.keys(properties));
    }
  });

  it("declares nullable fields with OpenAPI 3.1's type null", () => {
    expect(document.components?.schemas?.BalanceItem).toMatchObject({
      properties: {
        contract_decimals: { type: ["integer", "null"] },
        balance: { pattern: "^(0|[1-9][0-9]*)$" },
        logo_urls: { anyOf: [{ $ref: "#/components/schemas/LogoUrls" }, { type: "null" }] },
      },
    });
    expect(JSON.stringify(document)).not.toContain('"nullable"');
  });

  it("references shared parameters without overrides, and includes the examples' story references", () => {
    const parameters = operation("getTokenHolders").parameters ?? [];
    expect(parameters[0]).toEqual({ $ref: "#/components/parameters/PathChainName" });
    const token = parameters.find((parameter): parameter is ParameterObject => "name" in parameter && parameter.name === "tokenAddress");
    expect(token).toMatchObject({ in: "path", required: true, "x-story": "usdToken" });
    expect(JSON.stringify(document)).not.toContain('"story:');
    const size = parameters.find((parameter): parameter is ParameterObject => "name" in parameter && parameter.name === "page-size");
    expect(size?.schema).toMatchObject({ type: "integer", enum: [100, 1000], default: 100 });
  });

  it("accepts hex in any case, including its prefix", () => {
    const patterns = Object.values(document.components?.parameters ?? {}).flatMap((parameter) => {
      const { schema, example } = parameter as ParameterObject & { schema: { pattern?: string; items?: { pattern?: string } } };
      const [sent] = [example].flat();
      const pattern = schema.pattern ?? schema.items?.pattern;
      return typeof sent === "string" && sent.startsWith("0x") && pattern !== undefined ? [{ sent, expected: new RegExp(pattern) }] : [];
    });
    expect(patterns.length).toBeGreaterThan(5);
    for (const { sent, expected } of patterns) {
      expect(sent).toMatch(expected);
      expect(sent.toUpperCase()).toMatch(expected);
      expect(`0y${sent.slice(2)}`).not.toMatch(expected);
    }
  });

  it("describes the key only in the security schemes", () => {
    for (const { parameters = [] } of operations)
      expect(parameters.filter((parameter) => "name" in parameter && parameter.name === "key")).toEqual([]);
  });

  it("uses a recorded response as the example", () => {
    const recorded = { updated_at: "2026-01-01T00:00:00Z", items: [{ name: "recorded, and quoted", amount: "9" }] };
    const small = openApiDocument(buildModel(smallCatalog(), new Map([["getThings", recorded]])));
    const get = small.paths?.["/v1/{chainName}/getthings/"]?.get;
    const { content } = success(get?.responses);
    expect(content["application/json"].example.data).toEqual(recorded);
    // RFC 4180, section 2, rule 6: a field with a comma is in double quotes.
    expect(content["text/csv"].example).toBe('name,amount\r\n"recorded, and quoted",9\r\n');
  });

  it("has the same content in YAML", () => {
    expect(parse(renderYaml(document))).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe("renderYaml", () => {
  it("quotes strings that could be parsed as other types", () => {
    const value = {
      on: "yes",
      "404": 1,
      "a b": [[], {}, [1, [2, { no: null }]], "line\nbreak: # not a comment", "ä\u2028"],
      empty: "",
      deep: [{ a: { b: [true] } }],
    };
    expect(parse(renderYaml(value))).toEqual(value);
    expect(parse(renderYaml(value), { version: "1.1" })).toEqual(value);
  });

  it("does not indent the top level", () => {
    expect(renderYaml(smallCatalog([endpoint("getThings")]).service.license)).toBe('name: "MIT"\nidentifier: "MIT"\n');
  });
});
