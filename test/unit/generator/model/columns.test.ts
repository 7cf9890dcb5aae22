import { describe, expect, it } from "vitest";
import { csvColumns } from "../../../../generator/model/columns.ts";
import { objectOf } from "../../../../generator/model/fields.ts";
import { object } from "../../../support/generator/model/catalogs.ts";

const objects = new Map(
  [
    object("Paged", { address: "string", items: "[Row]" }, "items"),
    object("Row", { name: "string?", amount: "bigint?", place: "Place?", tags: "[string]", parts: "[Place]", burned: "boolean" }),
    object("Place", { height: "integer", owner: "Owner" }),
    object("Owner", { name: "string", share: "number" }),
    object("Priced", { name: "string", logo: "Place?", prices: "[Price]" }, "prices"),
    object("Price", { date: "timestamp", name: "string" }),
    object("Whole", { height: "integer" }),
    object("Link", { name: "string", parent: "Link?" }),
  ].map((entry) => [entry.name, objectOf(entry)]),
);

const headers = (response: string, list = false): string[] => csvColumns(objects, response, list).map((column) => column.header);

describe("CSV columns", () => {
  it("contain the row fields, with dotted names for nested fields and one cell per array, and omit other fields", () => {
    expect(headers("Paged")).toEqual([
      "name",
      "amount",
      "place.height",
      "place.owner.name",
      "place.owner.share",
      "tags",
      "parts",
      "burned",
    ]);
  });

  it("have their field's kind, which is number for amounts", () => {
    expect(Object.fromEntries(csvColumns(objects, "Paged", false).map(({ header, kind }) => [header, kind]))).toEqual({
      name: "text",
      amount: "number",
      "place.height": "number",
      "place.owner.name": "text",
      "place.owner.share": "number",
      tags: "json",
      parts: "json",
      burned: "boolean",
    });
  });

  it("start with the parent's scalars, and have a prefix if a name occurs in both", () => {
    expect(csvColumns(objects, "Priced", true)).toEqual([
      { header: "name", path: ["name"], from: "parent", kind: "text" },
      { header: "date", path: ["date"], from: "row", kind: "text" },
      { header: "prices.name", path: ["name"], from: "row", kind: "text" },
    ]);
  });

  it("use the response itself as the row if it has no rows", () => {
    expect(csvColumns(objects, "Whole", false)).toEqual([{ header: "height", path: ["height"], from: "row", kind: "number" }]);
  });

  it("contain a recursive object as one cell", () => {
    expect(csvColumns(objects, "Link", false)).toEqual([
      { header: "name", path: ["name"], from: "row", kind: "text" },
      { header: "parent", path: ["parent"], from: "row", kind: "json" },
    ]);
  });
});
