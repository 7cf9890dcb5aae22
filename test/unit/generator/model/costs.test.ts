import { describe, expect, it } from "vitest";
import { buildModel } from "../../../../generator/model/build-model.ts";
import { costOf, renderCost } from "../../../../generator/model/costs.ts";
import { realCatalog } from "../../../support/generator/model/catalogs.ts";

describe("a cost", () => {
  it("is a whole number of hundredths, even if the binary fraction is not exact", () => {
    // 0.29 * 100 is 28.999999999999996 in binary floating point.
    expect(costOf({ credits: 0.29, per: "item" })).toEqual({ hundredths: 29, per: "item" });
    expect(costOf({ credits: 15, per: "call" })).toEqual({ hundredths: 1500, per: "call" });
  });

  it("is null if it is not stated", () => {
    expect(costOf("not-stated")).toBeNull();
    expect(renderCost(null)).toBe("not stated");
  });

  it("is rendered with its unit, except per call", () => {
    expect(renderCost({ hundredths: 5, per: "item" })).toBe("0.05 per item");
    expect(renderCost({ hundredths: 200, per: "30-days" })).toBe("2.00 per 30 days");
    expect(renderCost({ hundredths: 1500, per: "call" })).toBe("15.00");
  });

  it("is null only for community endpoints", async () => {
    const { operations } = buildModel(await realCatalog(), new Map());
    const community = operations.filter((operation) => operation.class === "C");
    expect(community).toHaveLength(39);
    expect(new Set(community.map((operation) => operation.cost))).toEqual(new Set([null]));
    expect(operations.filter((operation) => operation.class !== "C" && operation.cost === null)).toEqual([]);
  });
});
