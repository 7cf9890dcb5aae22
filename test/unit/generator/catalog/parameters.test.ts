import { describe, expect, it } from "vitest";
import { loadCatalog } from "../../../../generator/catalog/load.ts";
import { endpointParameters, pathParameterNames } from "../../../../generator/catalog/parameters.ts";
import { catalogWith, smallCatalog } from "../../../support/generator/catalog/small-catalog.ts";

function parametersOf(id: string, { catalog } = loadCatalog(smallCatalog)) {
  const endpoint = [...(catalog?.operations ?? []), ...(catalog?.community ?? [])].find((operation) => operation.id === id);
  if (!catalog || !endpoint) throw new Error(`no ${id}`);
  return endpointParameters(catalog.service, endpoint.definition);
}

describe("the parameters of an endpoint", () => {
  it("are those of its path, its own, those of its style and the common ones, in this order", () => {
    expect(parametersOf("getTokenHolders").map(({ in: where, name }) => `${where} ${name}`)).toEqual([
      "path chainName",
      "path tokenAddress",
      "query date",
      "query order",
      "query page-size",
      "query key",
    ]);
  });

  it("have the overrides of their use and the sizes of the endpoint", () => {
    const [, , , order, size] = parametersOf("getTokenHolders");
    expect(order?.definition).toMatchObject({ type: "choice", values: ["up", "down", "none"], default: "down", description: "The order." });
    expect(size).toMatchObject({ sizes: [100, 1000], required: false, definition: { default: 100, maximum: 1000 } });
  });

  it("are required in paths, and in queries if declared so", () => {
    expect(parametersOf("getProtocol01Markets").map(({ name, required }) => [name, required])).toEqual([
      ["date", true],
      ["page-size", false],
      ["key", false],
    ]);
  });

  it("that a use makes required lose the shared default", () => {
    const changed = catalogWith({
      file: "spec/endpoints/logs.yaml",
      find: "query: [days]",
      put: "query: [{ name: days, required: true }]",
    });
    const days = parametersOf("getPortfolio", changed).find(({ name }) => name === "days");
    expect(days?.required).toBe(true);
    expect(days?.definition).not.toHaveProperty("default");
  });

  it("of a path may be defined under another name", () => {
    const changed = catalogWith({
      file: "spec/endpoints/logs.yaml",
      find: "path: /v1/{chainName}/events/",
      put: "path: /v1/{chain}/events/\n    definedAs: { chain: chainName }",
    });
    const [chain] = parametersOf("getLogs", changed);
    expect(chain).toMatchObject({ name: "chain", in: "path", definition: { type: "chain", description: "The network." } });
  });

  it("of a path are the names in braces", () => {
    expect(pathParameterNames("/v1/{chainName}/block_v2/{startDate}/{endDate}/")).toEqual(["chainName", "startDate", "endDate"]);
  });
});
