import { describe, expect, it } from "vitest";
import { z } from "zod";
import { innerSchema, keysOf } from "../../../../runtime/declarations/yaml/schema-inspection.ts";

const event = z.strictObject({ signature: z.string(), columns: z.array(z.strictObject({ name: z.string() })).optional() });
const definition = z.strictObject({ name: z.string(), events: z.record(z.string(), event) });

describe("innerSchema", () => {
  it("returns the schema of the value at a path through maps, records and lists", () => {
    expect(innerSchema(definition, ["events", "any", "columns", 0, "name"])).toBeInstanceOf(z.ZodString);
    expect(keysOf(innerSchema(definition, ["events", "any"]))).toEqual(["signature", "columns"]);
  });

  it("stops at the first unknown step, even if the next one is known", () => {
    expect(innerSchema(definition, ["unknown", "name"])).toBe(definition);
    expect(innerSchema(definition, ["events", "any", "unknown", "signature"])).toBe(event);
  });
});

describe("keysOf", () => {
  it("lists the keys of all options of a union, each once", () => {
    expect(keysOf(z.union([z.strictObject({ a: z.string(), b: z.string() }), z.strictObject({ b: z.string() }), z.string()]))).toEqual([
      "a",
      "b",
    ]);
  });
});
