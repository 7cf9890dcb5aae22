import { beforeAll, describe, expect, it } from "vitest";
import { copyStatement } from "../../../runtime/database/copy.ts";
import { createCopyEncoder } from "../../../runtime/database/copy-encoder.ts";
import { CopyError, type CopyType, type CopyValue } from "../../../runtime/database/copy-text.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const maxUint256 = 2n ** 256n - 1n;
let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  return testDatabase.drop;
});

/** Sends one value through COPY and reads it back. */
async function roundTrip(type: CopyType, value: CopyValue): Promise<unknown> {
  return testDatabase.database.transaction(async (client) => {
    await client.query(`CREATE TEMP TABLE trip (value ${type}) ON COMMIT DROP`);
    await client.copy("trip", ["value"], [[value]], [type]);
    const [row] = await client.query<{ value: unknown }>("SELECT value FROM trip");
    return row?.value;
  });
}

const validValues: readonly [CopyType, CopyValue][] = [
  ["bytea", "0x"],
  ["bytea", "0x00ff5c090a0d"],
  ["bytea", `0x${"ab".repeat(200_000)}`],
  ["numeric", "0"],
  ["numeric", String(maxUint256)],
  ["numeric", `-${maxUint256}`],
  ["numeric", "1.50"],
  ["int2", -32768],
  ["int4", 2147483647],
  ["int8", Number.MAX_SAFE_INTEGER],
  ["int8", Number.MIN_SAFE_INTEGER],
  ["float8", 1e-7],
  ["float8", Number.NaN],
  ["float8", Number.NEGATIVE_INFINITY],
  ["bytea[]", []],
  ["bytea[]", ["0x", "0x00ff5c090a0d", null, `0x${"ab".repeat(200_000)}`]],
  ["numeric[]", []],
  ["numeric[]", ["0", String(maxUint256), `-${maxUint256}`, null, "1.50"]],
  ["bool", true],
  ["bool", false],
  ["date", "2024-02-29"],
  ["timestamptz", new Date("2024-02-29T23:59:59.999Z")],
  ["timestamptz", new Date("0001-01-01T00:00:00.000Z")],
  ["timestamptz", new Date("9999-12-31T23:59:59.999Z")],
  ...["bool", "bytea", "bytea[]", "date", "float8", "int2", "int4", "int8", "jsonb", "numeric", "numeric[]", "text", "timestamptz"].map(
    (type) => [type as CopyType, null] as [CopyType, CopyValue],
  ),
];

const hostileTexts = [
  "",
  " ",
  "\\N",
  "\\.",
  "\n\\.\n",
  "tab\there",
  "line\nbreak\r\nand return\r",
  "back\\slash\\\\n",
  "\b\f\v\u0001\u007f",
  "'; DROP TABLE trip; --",
  '"quoted", {braces}',
  "0xab",
  "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 🪨 é e\u0301 \u202e",
  "x".repeat(1_000_000),
];

/** Values that a type cannot hold. */
const invalidValues: readonly [CopyType, unknown][] = [
  ["text", "nul\0here"],
  ["text", 5],
  ["bytea", "ab"],
  ["bytea", "0xabc"],
  ["bytea", "0xab\t1"],
  ["bytea", "0xab\n"],
  ["bytea[]", "0xab"],
  ["bytea[]", ["0xab", "ab"]],
  ["bytea[]", ['0xab","']],
  ["bytea[]", [1]],
  ["numeric[]", 5],
  ["numeric[]", [1, 1.5]],
  ["numeric[]", ["1,2"]],
  ["numeric[]", [["1"]]],
  ["numeric", ""],
  ["numeric", "1e3"],
  ["numeric", "0x10"],
  ["numeric", "1\n2"],
  ["numeric", 1.5],
  ["int8", 2 ** 53],
  ["int4", "5"],
  ["int4", Number.NaN],
  ["bool", "t"],
  ["bool", undefined],
  ["date", "2024-2-9"],
  ["timestamptz", new Date(Number.NaN)],
  ["timestamptz", new Date("+010000-01-01T00:00:00Z")],
];

describe("COPY", () => {
  it.each(validValues)("round-trips a %s: %.40s", async (type, value) => {
    expect(await roundTrip(type, value)).toEqual(value);
  });

  it.each(hostileTexts.map((text) => [text]))("round-trips text: %.30j", async (text) => {
    expect(await roundTrip("text", text)).toBe(text);
  });

  it("accepts bigints, upper-case hex, and JSON as text", async () => {
    expect(await roundTrip("numeric", maxUint256)).toBe(String(maxUint256));
    expect(await roundTrip("int8", 5n)).toBe(5);
    expect(await roundTrip("bytea", "0xABCD")).toBe("0xabcd");
    expect(await roundTrip("jsonb", JSON.stringify({ a: ["\\ \t\n", null] }))).toEqual({ a: ["\\ \t\n", null] });
  });

  it.each(invalidValues)("rejects an invalid %s: %j", async (type, value) => {
    await expect(roundTrip(type, value as CopyValue)).rejects.toThrow(CopyError);
  });

  it("reports the table, the column and the truncated value when it rejects one", async () => {
    const copied = testDatabase.database.transaction((client) =>
      client.copy("trip", ["id", "fee"], [[1, "y".repeat(1000)]], ["int4", "numeric"]),
    );
    // 100 characters: the opening quote and 99 letters.
    await expect(copied).rejects.toThrow(`Invalid value "${"y".repeat(99)}… for column fee of trip: expected type numeric.`);
  });

  it("returns the number of rows, sends nothing if there are none, and quotes unusual names", async () => {
    await testDatabase.database.query('CREATE TABLE "odd ""name" ("select" int4)');
    const copied = await testDatabase.database.transaction(async (client) => [
      await client.copy("missing table", ["x"], [], ["int4"]),
      await client.copy('odd "name', ["select"], [[1], [2], [3]], ["int4"]),
    ]);
    expect(copied).toEqual([0, 3]);
    expect(await testDatabase.database.query('SELECT sum("select") FROM "odd ""name"')).toEqual([{ sum: 6 }]);
  });

  it("reads rows only as fast as they are sent", async () => {
    // 200 rows of 1 MB would take 200 MB if all were buffered.
    const row = [`0x${"cd".repeat(500_000)}`];
    let produced = 0;
    let peakMemory = 0;
    function* rows(): Generator<CopyValue[]> {
      for (; produced < 200; produced++) {
        peakMemory = Math.max(peakMemory, process.memoryUsage().external);
        yield row;
      }
    }
    const before = process.memoryUsage().external;
    await testDatabase.database.query("CREATE UNLOGGED TABLE wide (data bytea)");
    expect(await testDatabase.database.transaction((client) => client.copy("wide", ["data"], rows(), ["bytea"]))).toBe(200);
    expect(peakMemory - before).toBeLessThan(64 * 1024 * 1024);
  });

  it.each([
    ["a row that cannot be written", "half", [[1], [2], ["three"]], CopyError],
    ["a row that the server refuses", "half", [[1], [1]], /half_pkey/],
    ["a missing table", "missing", [[1]], /missing/],
  ] as const)("writes nothing after %s, and leaves the connection usable", async (_, table, rows, error) => {
    await testDatabase.database.query("DROP TABLE IF EXISTS half; CREATE TABLE half (n int4 PRIMARY KEY)");
    await expect(testDatabase.database.transaction((client) => client.copy(table, ["n"], rows, ["int4"]))).rejects.toThrow(error as never);
    expect(await testDatabase.database.transaction((client) => client.query("SELECT count(*) FROM half"))).toEqual([{ count: 0 }]);
  });

  it("rejects with the row source's error, even after chunks were sent", async () => {
    await testDatabase.database.query("DROP TABLE IF EXISTS half; CREATE TABLE half (n int4 PRIMARY KEY)");
    function* rows(): Generator<CopyValue[]> {
      for (let n = 0; n < 200_000; n++) yield [n];
      throw new Error("no more rows");
    }
    await expect(testDatabase.database.transaction((client) => client.copy("half", ["n"], rows(), ["int4"]))).rejects.toThrow(
      "no more rows",
    );
    expect(await testDatabase.database.query("SELECT count(*) FROM half")).toEqual([{ count: 0 }]);
  });
});

/** Encodes the values as one column of rows that also have a constant column, and reads them back in order. */
async function encodedRoundTrip(type: CopyType, values: readonly CopyValue[]): Promise<unknown[]> {
  const encoder = createCopyEncoder("encoded", ["id", "int4", 7], { position: "int4", value: type });
  encoder.add(values.map((value, position) => ({ position, value })));
  const { columns, chunks, rowCount } = encoder.take();
  expect(rowCount).toBe(values.length);
  return testDatabase.database.transaction(async (client) => {
    await client.query(`CREATE TEMP TABLE encoded (id int4 CHECK (id = 7), position int4, value ${type}) ON COMMIT DROP`);
    await client.pipeline([copyStatement("encoded", { columns, chunks })]);
    const rowsInOrder = await client.query<{ value: unknown }>("SELECT value FROM encoded ORDER BY position");
    return rowsInOrder.map(({ value }) => value);
  });
}

describe("rows in COPY text format", () => {
  it.each(validValues)("round-trip a %s: %.40s", async (type, value) => {
    expect(await encodedRoundTrip(type, [value])).toEqual([value]);
  });

  it("round-trip strings, bigints and upper-case hex", async () => {
    expect(await encodedRoundTrip("text", hostileTexts)).toEqual(hostileTexts);
    expect(await encodedRoundTrip("numeric", [maxUint256, -maxUint256, 10n ** 600n, 0, 12])).toEqual(
      [maxUint256, -maxUint256, 10n ** 600n, 0, 12].map((value) => String(value)),
    );
    expect(await encodedRoundTrip("int8", [5n, -1, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31])).toEqual([
      5, -1, 9, 10, 99, 100, 2147483647, 2147483648,
    ]);
    expect(await encodedRoundTrip("bytea", ["0xABCD"])).toEqual(["0xabcd"]);
    expect(await encodedRoundTrip("bytea[]", [["0xABCD"]])).toEqual([["0xabcd"]]);
    expect(await encodedRoundTrip("numeric[]", [[maxUint256, -1, 10n ** 600n], [0n]])).toEqual([
      [maxUint256, -1, 10n ** 600n].map((value) => String(value)),
      ["0"],
    ]);
  });

  it("can be split between chunks", async () => {
    // Values of 1 to 3,000 bytes, 4.5 MB in total: many times the size of the largest chunk.
    const values = Array.from({ length: 3_000 }, (_, index) => `0x${"5a".repeat(index + 1)}`);
    expect(await encodedRoundTrip("bytea", values)).toEqual(values);
  });

  // In an encoder's rows, undefined is null.
  it.each(invalidValues.filter(([, value]) => value !== undefined))("reject an invalid %s: %j", async (type, value) => {
    await expect(encodedRoundTrip(type, [value as CopyValue])).rejects.toThrow(CopyError);
  });
});
