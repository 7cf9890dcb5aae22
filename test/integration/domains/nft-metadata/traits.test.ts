import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import { addressOf, type FixtureIndex, openFixtureIndex, type Row } from "../queries/fixture-index.ts";

let index: FixtureIndex;
const [hats, plain, coin, wide] = [addressOf(1), addressOf(2), addressOf(3), addressOf(4)];
const path = (collection: string, operation: string): string => `/v1/fixture/nft/${collection}/${operation}`;
const row = (token: string, id: number): Row => ({
  chain_id: 7,
  token,
  token_id: id,
  standard: 2,
  block_number: 1,
  read_at_block: 1,
  read_at: "2026-01-01",
});

/** Inserts tokens with their traits. */
const insertTokens = async (token: string, tokens: readonly (readonly (readonly [string, string | null, number?])[])[]): Promise<void> => {
  await index.insert(
    "nft_metadata",
    tokens.map((_, id) => ({ ...row(token, id), document: "{}" })),
  );
  await index.insert(
    "nft_attributes",
    tokens.flatMap((traits, id) =>
      traits.map(([trait, value, number], position) => ({
        ...row(token, id),
        position,
        trait,
        value,
        number: number ?? null,
      })),
    ),
  );
};

beforeAll(async () => {
  index = await openFixtureIndex({ responseRows: 12 });
  await index.insertBlocks(0, 1);
  await index.insert(
    "token_standards",
    [
      [hats, standards.erc721],
      [plain, standards.erc1155],
      [coin, standards.erc20],
      [wide, standards.erc721],
    ].map(([address, standard]) => ({ chain_id: 7, address: address as string, standard: standard as number, block_number: 1 })),
  );
  await insertTokens(hats, [
    [
      ["Hat", "top"],
      ["Level", "9", 9],
    ],
    [
      ["Hat", "Top"],
      ["Level", "10.5", 10.5],
    ],
    [
      ["Hat", "cap"],
      ["Level", "-2", -2],
      ["hat", null],
    ],
    [
      ["Hat", "cap"],
      ["Mood", "3", 3],
    ],
    [
      ["Hat", null],
      ["Mood", "good"],
    ],
    [["Hat", null]],
    [],
    [["a/b %&?", "<script>"]],
  ]);
});
afterAll(() => index.end());

describe("traits of a collection", () => {
  it("are listed by name in ascending, case-sensitive order", async () => {
    const { status, data } = await index.get(path(hats, "traits/"));
    expect(status).toBe(200);
    expect(data.items).toEqual([{ name: "Hat" }, { name: "Level" }, { name: "Mood" }, { name: "a/b %&?" }, { name: "hat" }]);
  });

  it("are empty if no metadata is stored, and not found (404) for an address that is not a collection", async () => {
    for (const operation of ["traits/", "traits_summary/"]) {
      expect((await index.get(path(plain, operation))).data.items).toEqual([]);
      for (const contract of [coin, addressOf(99)]) {
        const { status, message } = await index.get(path(contract, operation));
        expect([status, message]).toEqual([404, `Collection ${contract} not found in the index of fixture.`]);
      }
    }
  });

  it("are summarised by kind, range, share of the tokens with metadata, and counts", async () => {
    const { data } = await index.get(path(hats, "traits_summary/"));
    expect(data.items[0]).toEqual({
      name: "Hat",
      value_type: "string",
      value_numeric: null,
      // 2 of 8 tokens.
      value_string: { value: "cap", token_count: 2, trait_percentage: 25 },
      attributes: [
        {
          trait_type: "Hat",
          values: [
            { value: "cap", count: 2 },
            { value: null, count: 2 },
            { value: "Top", count: 1 },
            { value: "top", count: 1 },
          ],
          unique_values: 3,
        },
      ],
    });
    expect(data.items[1]).toMatchObject({
      name: "Level",
      value_type: "numeric",
      value_numeric: { min: -2, max: 10.5 },
      value_string: null,
    });
    // The values are a number and a text, so the trait is not numeric.
    expect(data.items[2]).toMatchObject({
      value_type: "string",
      value_numeric: null,
      value_string: { value: "3", token_count: 1, trait_percentage: 12.5 },
    });
    expect(data.items[4]).toEqual({
      name: "hat",
      value_type: null,
      value_numeric: null,
      value_string: null,
      attributes: [{ trait_type: "hat", values: [{ value: null, count: 1 }], unique_values: 0 }],
    });
  });
});

describe("values of a trait", () => {
  it("are counted and listed by frequency", async () => {
    const { data } = await index.get(path(hats, "traits/Hat/attributes/"));
    expect(data.items).toHaveLength(1);
    expect(data.items[0].values.map(({ value, count }: { value: string; count: number }) => [value, count])).toEqual([
      ["cap", 2],
      [null, 2],
      ["Top", 1],
      ["top", 1],
    ]);
    expect((await index.get(path(hats, `traits/${encodeURIComponent("a/b %&?")}/attributes/`))).data.items[0].values).toEqual([
      { value: "<script>", count: 1 },
    ]);
  });

  it("are not found (404) for an unknown trait or an address that is not a collection", async () => {
    for (const [contract, trait, subject] of [
      [hats, "HAT", "Trait HAT"],
      [plain, "Hat", "Trait Hat"],
      [coin, "Hat", `Collection ${coin}`],
    ] as const) {
      const { status, message } = await index.get(path(contract, `traits/${trait}/attributes/`));
      expect([status, message]).toEqual([404, `${subject} not found in the index of fixture.`]);
    }
  });

  it("are refused (400) if there are more than the maximum number of rows, and are then omitted from the summary", async () => {
    await insertTokens(
      wide,
      Array.from({ length: 13 }, (_, id) => [
        ["Serial", `no. ${String(Math.max(1, id)).padStart(2, "0")}`],
        ["Serial number", String(id), id],
        ["Side", id % 2 === 0 ? "heads" : "tails"],
      ]),
    );
    const refused = await index.get(path(wide, `traits/${encodeURIComponent("Serial number")}/attributes/`));
    expect([refused.status, refused.message]).toEqual([
      400,
      "Invalid value Serial number for trait: expected a trait with at most 12 different values.",
    ]);
    expect((await index.get(path(wide, "traits/Serial/attributes/"))).data.items[0].values).toHaveLength(12);
    const { data } = await index.get(path(wide, "traits_summary/"));
    // 12 + 13 + 2 values exceed 12: each of the 3 traits may list 4, so only Side lists its values.
    expect(data.items.map(({ attributes }: { attributes: unknown[] | null }) => attributes?.length ?? null)).toEqual([null, null, 1]);
    // Tokens 0 and 1 share the number 01.
    expect(data.items[0].value_string).toMatchObject({ value: "no. 01", token_count: 2 });
    expect(data.items[1]).toMatchObject({ value_type: "numeric", value_numeric: { min: 0, max: 12 } });
  });
});
