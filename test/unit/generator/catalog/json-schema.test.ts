import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { addedProtocolJsonSchema, catalogJsonSchema } from "../../../../generator/catalog/json-schema.ts";
import { readCatalogFiles } from "../../../../generator/catalog/load.ts";
import { scaffoldFiles } from "../../../../runtime/commands/community/scaffold.ts";
import { smallCatalog } from "../../../support/generator/catalog/small-catalog.ts";

const specDirectory = new URL("../../../../spec", import.meta.url).pathname;
const ajv = new Ajv2020({ allErrors: true, strict: false });
ajv.addSchema(JSON.parse(catalogJsonSchema()) as object, "catalog.schema.json");

const definitionOf = (file: string): string => {
  if (file.endsWith("service.yaml")) return "serviceFile";
  if (file.includes("/endpoints/")) return "endpointFile";
  if (file.includes("/objects/")) return "objectFile";
  return file.endsWith("template.yaml") ? "communityTemplateFile" : "communityProtocolFile";
};

const validatorOf = (fragment: string): ValidateFunction => {
  const validate = ajv.getSchema(`catalog.schema.json${fragment}`);
  if (validate === undefined) throw new Error(`Unknown fragment ${fragment} in the schema.`);
  return validate;
};

const errorsOf = (fragment: string, text: string) => {
  const validate = validatorOf(fragment);
  return validate(parse(text)) ? [] : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
};

describe("the catalog's JSON Schema", () => {
  it("accepts every file in the repository's catalog, with its kind's definition and with the complete schema", async () => {
    const files = await readCatalogFiles(specDirectory);
    expect(files.size).toBeGreaterThan(0);
    for (const [file, text] of files) {
      if (file.endsWith(".sql")) continue;
      expect([file, errorsOf(`#/$defs/${definitionOf(file)}`, text)]).toEqual([file, []]);
      expect([file, errorsOf("", text)]).toEqual([file, []]);
    }
  });

  it("accepts a file without keys that have a default, and rejects unknown keys and invalid values", () => {
    const logs = smallCatalog.get("spec/endpoints/logs.yaml") ?? "";
    expect(errorsOf("#/$defs/endpointFile", logs)).toEqual([]);
    expect(errorsOf("#/$defs/endpointFile", logs.replace("row: 3", "rows: 3"))).toContain("/endpoints/getLogs additionalProperties");
    expect(errorsOf("#/$defs/endpointFile", logs.replace("mode: batch\n    status", "mode: later\n    status"))).toContain(
      "/endpoints/getLogs/mode enum",
    );
    expect(errorsOf("#/$defs/endpointFile", logs.replace("    class: B\n", ""))).toContain("/endpoints/getLogs required");
  });

  it("is deterministic", () => {
    expect(catalogJsonSchema()).toBe(catalogJsonSchema());
    expect(catalogJsonSchema().endsWith("}\n")).toBe(true);
  });
});

describe("the JSON Schema for operators' declarations", () => {
  const validate = ajv.compile(addedProtocolJsonSchema());
  const problemsOf = (text: string) =>
    validate(parse(text)) ? [] : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  const scaffold = scaffoldFiles({ id: "savings", chain: "demo", contracts: [`0x${"11".repeat(20)}`] })["protocol.yaml"] ?? "";

  it("accepts all built-in declarations and the one that ashlar community new writes", async () => {
    const declarations = [...(await readCatalogFiles(specDirectory))].filter(([file]) => file.endsWith("/protocol.yaml"));
    expect(declarations.length).toBe(10);
    for (const [file, text] of declarations) expect([file, problemsOf(text)]).toEqual([file, []]);
    expect(problemsOf(scaffold)).toEqual([]);
  });

  it.each([
    ["an unknown key", "    summary:", "    sumary:", "/operations/deposits additionalProperties"],
    ["an address that is a number", `"0x${"11".repeat(20)}"`, `0x${"11".repeat(20)}`, "/contracts/vault/networks/demo/0/address type"],
    ["a table without events", '    events: ["Deposit', '    signatures: ["Deposit', "/tables/deposits required"],
    ["text instead of a list", "indexes: [[owner]]", "indexes: [owner]", "/tables/deposits/indexes/0 type"],
    ["an operation without SQL", "    sql: deposits.sql\n", "", "/operations/deposits required"],
  ])("rejects %s", (_case, text, replacement, problem) => {
    expect(scaffold).toContain(text);
    expect(problemsOf(scaffold.replace(text, replacement))).toContain(problem);
  });
});
