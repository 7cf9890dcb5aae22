import { communityObjects } from "../../../generated/community-items.gen.ts";
import type { AddedProtocol, DeclaredField } from "../../declarations/added-protocol.ts";
import type { ItemField } from "../../declarations/objects/item-field.ts";

/** Default field examples, by format. */
const examples: Readonly<Record<string, unknown>> = {
  string: "text",
  number: 1.5,
  integer: 1,
  boolean: true,
  timestamp: "2026-03-01T12:00:00Z",
  bigint: "1000000000000000000",
  address: "0xe7f1725e7734ce288f8367e1bb143e90bb3f0512",
  hash: "0xce922519a3c3ecaf9b0986c2449c7680895c15f4b0e9818e994e14a4d28b6aaf",
  hex: "0x00",
  url: "https://example.com",
  date: "2026-03-01",
};

/** An example object, built from its fields' examples. */
export function exampleOf(objects: AddedProtocol["objects"], name: string): Readonly<Record<string, unknown>> {
  const fields: readonly (ItemField & Partial<DeclaredField>)[] = objects[name]?.fields ?? communityObjects[name] ?? [];
  return Object.fromEntries(
    fields.map(({ name: field, format, object, list, values, example }) => {
      if (example !== undefined) return [field, example];
      const element = object === null ? (values?.[0] ?? examples[format ?? ""]) : exampleOf(objects, object);
      return [field, list ? [element] : element];
    }),
  );
}
