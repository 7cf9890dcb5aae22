import { describe, expect, it } from "vitest";
import { buildModel } from "../../../../generator/model/build-model.ts";
import { endpoint, object, realCatalog, smallCatalog } from "../../../support/generator/model/catalogs.ts";

describe("buildModel", () => {
  it("includes every operation: 55 rows, pricing, 39 community operations, and the additions that clients use", async () => {
    const { operations, handlers } = buildModel(await realCatalog(), new Map());
    expect(operations.flatMap((operation) => operation.row ?? [])).toEqual(Array.from({ length: 55 }, (_none, index) => index + 1));
    const additions = operations.filter((operation) => operation.addition).map((operation) => operation.id);
    expect(additions).toEqual(expect.arrayContaining(["getTransactionsForBlockHash", "getTransactionsForBlockHashByPage"]));
    expect(operations).toHaveLength(55 + 1 + 39 + additions.length);
    // Each of the five community operations has one handler for all protocols.
    expect(handlers).toHaveLength(55 + 1 + 5 + additions.length);
  });

  it("keeps the story reference of an endpoint's example in addition to a literal example", () => {
    const [operation] = buildModel(
      smallCatalog([endpoint("getThing", { path: "/v1/{chainName}/thing/{thing}/", example: { thing: "story:gem" } })]),
      new Map(),
    ).operations;
    expect(operation?.parameters.find((parameter) => parameter.name === "thing")).toMatchObject({
      story: "gem",
      example: "stone",
      required: true,
      overridden: true,
    });
    expect(operation?.parameters.find((parameter) => parameter.name === "chainName")).toMatchObject({
      story: null,
      field: "chain",
      overridden: false,
    });
  });

  it("builds a response from field examples, without recursion", () => {
    const catalog = smallCatalog(
      [endpoint("getLink", { response: "Link" })],
      [object("Link", { name: "string", parent: "Link?", parts: "[Link]" })],
    );
    expect(buildModel(catalog, new Map()).operations[0]?.exampleData).toEqual({ name: "x", parent: null, parts: [] });
  });

  it("prefers a recorded response to a synthetic one", () => {
    const recorded = new Map([["getThings", { updated_at: "2026-01-01T00:00:00Z", items: [] }]]);
    expect(buildModel(smallCatalog(), recorded).operations[0]?.exampleData).toEqual({ updated_at: "2026-01-01T00:00:00Z", items: [] });
  });

  it("marks a handler as live if one of its operations is", () => {
    const shared = [
      endpoint("getOne", { status: "planned", path: "/v1/a/" }, { handler: "getShared" }),
      endpoint("getTwo", { status: "live", path: "/v1/b/" }, { handler: "getShared" }),
    ];
    expect(buildModel(smallCatalog(shared), new Map()).handlers).toMatchObject([{ id: "getShared", status: "live" }]);
  });
});
