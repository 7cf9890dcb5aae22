import pg from "pg";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { runNamed } from "../../../runtime/database/named-query.ts";
import { createTypeParsers } from "../../../runtime/database/type-parsers.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
  return testDatabase.drop;
});

let client: pg.Client;
beforeEach(async () => {
  client = new pg.Client({ connectionString: testDatabase.url, types: createTypeParsers() });
  await client.connect();
  return () => client.end();
});

describe("a named statement", () => {
  it("is prepared and described only on its first execution", async () => {
    const [parse, describeResult] = [vi.spyOn(client.connection, "parse"), vi.spyOn(client.connection, "describe")];
    const statement = { name: "sums", text: "SELECT $1::int4 + $2::int4 AS sum, NULL::text AS nothing" };
    expect(await runNamed(client, { ...statement, values: [1, 2] })).toEqual([{ sum: 3, nothing: null }]);
    expect(await runNamed(client, { ...statement, values: ["3", 4] })).toEqual([{ sum: 7, nothing: null }]);
    expect(parse).toHaveBeenCalledTimes(1);
    expect(describeResult).toHaveBeenCalledTimes(1);
  });

  it("accepts the parameters that the driver accepts", async () => {
    const types = ["text", "text", "bool", "numeric", "bytea", "text[]", "int8[]", "bool[]", "bytea[]", "timestamptz", "jsonb", "int4"];
    const columns = types.map((type, index) => `$${index + 1}::${type}::text AS p${index + 1}`);
    const texts = ['a,"b"\\c {d}', "NULL", "", null, "é"];
    const at = new Date("2026-01-02T03:04:05.678Z");
    const values = [
      "é",
      "",
      true,
      10n ** 30n,
      Buffer.from("00ff", "hex"),
      texts,
      [1, -2, null],
      [true, false],
      [],
      at,
      { a: [1] },
      undefined,
    ];
    const named = { name: "parameters", text: `SELECT ${columns.join()}`, values };
    // Covers both paths: a call with objects, such as a Date, is delegated to the driver; a call without objects is not.
    const [expected] = (await client.query(named.text, values)).rows;
    expect(await runNamed(client, named)).toEqual([expected]);
    const primitive = values.map((value, index) => (index === 9 || index === 10 ? null : value));
    expect(await runNamed(client, { ...named, values: primitive })).toEqual([{ ...expected, p10: null, p11: null }]);
    expect(expected).toMatchObject({
      p4: "1000000000000000000000000000000",
      p5: "\\x00ff",
      p7: "{1,-2,NULL}",
      p11: '{"a": [1]}',
      p12: null,
    });
  });

  it("can be executed again after an error in its values", async () => {
    const statement = { name: "quotient", text: "SELECT 6 / $1::int4 AS quotient" };
    await expect(runNamed(client, { ...statement, values: ["x"] })).rejects.toMatchObject({ code: "22P02" });
    await expect(runNamed(client, { ...statement, values: [0] })).rejects.toMatchObject({ code: "22012" });
    expect(await runNamed(client, { ...statement, values: [2] })).toEqual([{ quotient: 3 }]);
  });

  it("fails if a value cannot be parsed, and leaves the connection usable", async () => {
    const statement = { name: "unsafe", text: "SELECT n FROM unnest($1::int8[]) AS n" };
    await expect(runNamed(client, { ...statement, values: [["1", "9007199254740992", "2"]] })).rejects.toThrow(
      "Unsafe int8 9007199254740992",
    );
    expect(await runNamed(client, { ...statement, values: [[1, 2]] })).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it("returns no rows if it has no columns or no row matches", async () => {
    await client.query("CREATE TEMPORARY TABLE notes (text text)");
    const insert = { name: "insert", text: "INSERT INTO notes VALUES ($1)" };
    const select = { name: "select", text: "SELECT text FROM notes WHERE text = $1" };
    for (const values of [["a"], ["b"]]) expect(await runNamed(client, { ...insert, values })).toEqual([]);
    for (const [values, rows] of [
      [["c"], []],
      [["a"], [{ text: "a" }]],
    ] as const)
      expect(await runNamed(client, { ...select, values })).toEqual(rows);
  });

  it("fails if the connection is lost", async () => {
    client.on("error", () => undefined);
    await expect(
      runNamed(client, { name: "end", text: "SELECT pg_terminate_backend(pg_backend_pid()), $1::int4", values: [1] }),
    ).rejects.toMatchObject({ code: "57P01" });
    await expect(runNamed(client, { name: "one", text: "SELECT $1::int4", values: [1] })).rejects.toThrow(/connection/i);
  });
});
