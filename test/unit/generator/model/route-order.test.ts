import { beforeAll, describe, expect, it } from "vitest";
import { buildModel } from "../../../../generator/model/build-model.ts";
import type { Operation, Segment } from "../../../../generator/model/model.ts";
import { compareRoutes, expressPath, segmentsOf } from "../../../../generator/model/route-order.ts";
import { realCatalog } from "../../../support/generator/model/catalogs.ts";

const sorted = (paths: readonly string[]): string[] => [...paths].sort((left, right) => compareRoutes(segmentsOf(left), segmentsOf(right)));

describe("route order", () => {
  it("puts a literal before a parameter at the first segment where two paths differ", () => {
    const expected = ["/v1/{chain}/nft/approvals/{wallet}/", "/v1/{chain}/nft/{contract}/metadata/"];
    expect(sorted([...expected].reverse())).toEqual(expected);
    expect(sorted(["/v1/{a}/{b}/x/", "/v1/{a}/y/{c}/", "/v1/z/{b}/{c}/"])).toEqual(["/v1/z/{b}/{c}/", "/v1/{a}/y/{c}/", "/v1/{a}/{b}/x/"]);
  });

  it("does not depend on parameter names", () => {
    expect(compareRoutes(segmentsOf("/v1/{a}/x/"), segmentsOf("/v1/{b}/x/"))).toBe(0);
  });

  it("writes parameters in Express 5 syntax", () => {
    expect(expressPath(segmentsOf("/v1/{chainName}/xy=k/{dexName}/pools/"))).toBe("/v1/:chainName/xy=k/:dexName/pools/");
  });
});

describe("the catalog's route order", () => {
  let operations: readonly Operation[];
  beforeAll(async () => {
    operations = [...buildModel(await realCatalog(), new Map()).operations].sort((left, right) =>
      compareRoutes(left.segments, right.segments),
    );
  });

  it("routes a request that matches two paths to the one with the earlier literal", () => {
    const overlaps = operations.flatMap((left, index) =>
      operations.slice(index + 1).flatMap((right) => (overlap(left, right) ? [[left, right] as const] : [])),
    );
    for (const [first, second] of overlaps) {
      const index = first.segments.findIndex((segment, at) => "literal" in segment !== "literal" in (second.segments[at] ?? segment));
      expect(first.segments[index], `${first.path} before ${second.path}`).toHaveProperty("literal");
    }
    // The catalog has overlaps, so the loop is not empty: nft/approvals/{wallet} overlaps nft/{contract}/metadata, traits and traits_summary.
    expect(overlaps.map(([left, right]) => `${left.id} ${right.id}`)).toContain("getNftApprovals getTokenIdsForContractWithMetadata");
  });

  it("routes every example to its operation", () => {
    for (const operation of operations) {
      const request = operation.segments.map((segment) =>
        "literal" in segment ? segment.literal : exampleOf(operation, segment.parameter),
      );
      expect(operations.find((candidate) => matches(candidate.segments, request))?.id).toBe(operation.id);
    }
  });
});

const exampleOf = (operation: Operation, name: string): string =>
  String(operation.parameters.find((parameter) => parameter.in === "path" && parameter.name === name)?.example);

function matches(segments: readonly Segment[], request: readonly string[]): boolean {
  return (
    segments.length === request.length && segments.every((segment, index) => !("literal" in segment) || segment.literal === request[index])
  );
}

function overlap(left: Operation, right: Operation): boolean {
  return (
    left.segments.length === right.segments.length &&
    left.segments.every((segment, index) => {
      const other = right.segments[index];
      return other === undefined || !("literal" in segment && "literal" in other) || segment.literal === other.literal;
    })
  );
}
