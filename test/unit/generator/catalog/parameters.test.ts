import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../../../generator/catalog/load.ts";
import { endpointParameters, pathParameterNames } from "../../../../generator/catalog/parameters.ts";
import { catalogWith, smallCatalog } from "../../../support/generator/catalog/small-catalog.ts";

function parametersOf(id: string, { catalog } = loadCatalog(smallCatalog)) {
  const endpoint = [...(catalog?.operations ?? []), ...(catalog?.communityOperations ?? [])].find((operation) => operation.id === id);
  if (!catalog || !endpoint) throw new Error(`Unknown operation ${id} in the catalog.`);
  return endpointParameters(catalog.service, endpoint.definition);
}

describe("endpointParameters", () => {
  it("returns path, listed, pagination and common parameters, in this order", () => {
    expect(parametersOf("getTokenHolders").map(({ in: where, name }) => `${where} ${name}`)).toEqual([
      "path chainName",
      "path tokenAddress",
      "query date",
      "query order",
      "query page-size",
      "query key",
    ]);
  });

  it("applies a use's overrides and the endpoint's page sizes", () => {
    const [, , , order, size] = parametersOf("getTokenHolders");
    expect(order?.definition).toMatchObject({ type: "choice", values: ["up", "down", "none"], default: "down", description: "The order." });
    expect(size).toMatchObject({ sizes: [100, 1000], required: false, definition: { default: 100, maximum: 1000 } });
  });

  it("marks query parameters as required only if a use declares it", () => {
    expect(parametersOf("getProtocol01Markets").map(({ name, required }) => [name, required])).toEqual([
      ["date", true],
      ["page-size", false],
      ["key", false],
    ]);
  });

  it("omits a parameter's shared default if a use makes it required", () => {
    const changed = catalogWith({
      file: "spec/endpoints/logs.yaml",
      find: "query: [days]",
      replacement: "query: [{ name: days, required: true }]",
    });
    const days = parametersOf("getPortfolio", changed).find(({ name }) => name === "days");
    expect(days?.required).toBe(true);
    expect(days?.definition).not.toHaveProperty("default");
  });

  it("returns a path parameter that is defined under a different name", () => {
    const changed = catalogWith({
      file: "spec/endpoints/logs.yaml",
      find: "path: /v1/{chainName}/events/",
      replacement: "path: /v1/{chain}/events/\n    definedAs: { chain: chainName }",
    });
    const [chain] = parametersOf("getLogs", changed);
    expect(chain).toMatchObject({ name: "chain", in: "path", definition: { type: "chain", description: "The network." } });
  });

  it("finds the names in braces in a path", () => {
    expect(pathParameterNames("/v1/{chainName}/block_v2/{startDate}/{endDate}/")).toEqual(["chainName", "startDate", "endDate"]);
  });
});
