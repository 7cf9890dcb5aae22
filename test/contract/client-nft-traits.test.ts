import { describe, expect, it, test } from "vitest";
import { countTraits, documentsOf, idsOf, movesOf, regularCollections } from "../support/story-collections.ts";
import { chain, dataOf, useNpmClient } from "./npm-client.ts";

const { NftService: service } = await useNpmClient();
const names = Object.keys(regularCollections()) as (keyof ReturnType<typeof regularCollections>)[];

/** Reads the documents that the contracts and the gateway currently return. */
const read = async (name: (typeof names)[number]) => {
  const collection = regularCollections()[name];
  const ids = idsOf(await movesOf(collection));
  const documents = [...(await documentsOf(collection, ids, name === "editions" ? "uri" : "tokenURI")).values()];
  return { collection, documents, counts: countTraits(documents) };
};

/** Compares strings by code point, as their UTF-8 bytes sort. */
const byBytes = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
const byFrequency = ([left, leftCount]: readonly [string | null, number], [right, rightCount]: readonly [string | null, number]): number =>
  rightCount - leftCount || byBytes(left ?? "", right ?? "");

describe("the npm client's NftService for traits", () => {
  test.each(names)("getTraitsForCollection returns the traits of the %s", async (name) => {
    const { collection, counts } = await read(name);
    const { items } = await dataOf(service.getTraitsForCollection(chain, collection));
    expect(items.map((item) => item.name)).toEqual([...counts.keys()].sort(byBytes));
    expect(items.length).toBeGreaterThan(1);
  });

  test.each(names)("getCollectionTraitsSummary summarises the traits of the %s according to their documents", async (name) => {
    const { collection, counts, documents } = await read(name);
    const { items } = await dataOf(service.getCollectionTraitsSummary(chain, collection));
    expect(items.map((item) => item.name)).toEqual([...counts.keys()].sort(byBytes));
    const entries = documents.flatMap(({ traits }) => traits ?? []);
    for (const item of items) {
      const values = [...(counts.get(item.name) ?? [])];
      const traitEntries = entries.filter(({ trait_type: trait, value }) => trait === item.name && value !== null);
      const listed = item.attributes.flatMap((attribute) => attribute.values);
      expect(new Map(listed.map(({ value, count }) => [value, count])), item.name).toEqual(new Map(values));
      expect(item.attributes.map((attribute) => attribute.unique_values)).toEqual([values.filter(([value]) => value !== null).length]);
      const isNumeric = traitEntries.length > 0 && traitEntries.every(({ isNumber }) => isNumber);
      expect(item.value_type, item.name).toBe(traitEntries.length === 0 ? null : isNumeric ? "numeric" : "string");
      if (isNumeric) {
        // The date range is in Unix seconds.
        const numbers = traitEntries.map(({ value }) => (/^\d{4}-/.test(value ?? "") ? Date.parse(value ?? "") / 1000 : Number(value)));
        expect(item.value_numeric, item.name).toEqual({ min: Math.min(...numbers), max: Math.max(...numbers) });
        expect(item.value_string).toBeNull();
      } else if (traitEntries.length > 0) {
        const [frequent] = values.filter(([value]) => value !== null).sort(byFrequency);
        const [value, count] = frequent ?? [null, 0];
        expect(item.value_string, item.name).toEqual({ value, token_count: count, trait_percentage: (100 * count) / documents.length });
        expect(item.value_numeric).toBeNull();
      }
    }
  });

  test.each(names)("getAttributesForTraitInCollection counts each trait's values in the %s, most frequent first", async (name) => {
    const { collection, counts } = await read(name);
    for (const [trait, values] of counts) {
      const { items } = await dataOf(service.getAttributesForTraitInCollection(chain, collection, encodeURIComponent(trait)));
      expect(items.map((item) => [item.trait_type, item.unique_values])).toEqual([
        [trait, [...values.keys()].filter((value) => value !== null).length],
      ]);
      const listed = items[0]?.values ?? [];
      expect(new Map(listed.map(({ value, count }) => [value, count])), trait).toEqual(values);
      const returned = listed.filter(({ value }) => value !== null).map(({ value, count }) => [value, count] as const);
      expect(returned).toEqual([...returned].sort(byFrequency));
    }
  });

  it("receives 404 for a trait that differs only in case", async () => {
    const response = await service.getAttributesForTraitInCollection(chain, regularCollections().garden, "species");
    expect([response.error, response.error_code]).toEqual([true, 404]);
  });
});
