import { describe, expect, it, vi } from "vitest";
import { compose } from "../../../runtime/database/compose.ts";
import { columnList, identifier, joinSql, nothing, sql, statementName } from "../../../runtime/database/sql.ts";

describe("the sql tag", () => {
  it("composes fragments and integer constants", () => {
    const newest = sql`ORDER BY number DESC LIMIT ${1}`;
    expect(sql`SELECT number FROM blocks WHERE chain_id = $1 ${newest}${nothing}`.text).toBe(
      "SELECT number FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1",
    );
  });

  it("joins lists, conditions and columns with an alias", () => {
    expect(joinSql([sql`a = $1`, sql`b = $2`], sql` AND `).text).toBe("a = $1 AND b = $2");
    expect(columnList(["owner", "token"], "t").text).toBe("t.owner, t.token");
  });

  it("rejects names that are not plain identifiers", () => {
    expect(identifier("t.block_number").text).toBe("t.block_number");
    for (const name of ['a"b', "a b", "a.b.c", "a;", "", "1a", "A"]) expect(() => identifier(name)).toThrow(RangeError);
  });

  it("rejects constants that are not safe integers", () => {
    for (const constant of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) expect(() => sql`${constant}`).toThrow(RangeError);
  });

  it("does not compile with a string in the text", () => {
    // @ts-expect-error a string is not a fragment
    const selectName = (name: string) => sql`SELECT ${name}`;
    expect(selectName("x").text).not.toContain("x");
  });
});

describe("a statement's name", () => {
  it("is short, and unique for each text", () => {
    const name = statementName("SELECT 1");
    expect(name).toBe(statementName("SELECT 1"));
    expect(name).not.toBe(statementName("SELECT 2"));
    expect(Buffer.byteLength(name ?? "")).toBeLessThan(63);
  });

  it("is assigned to a limited number of texts", async () => {
    vi.resetModules();
    const { statementName: nameOf } = await import("../../../runtime/database/sql.ts");
    const assignedNames = Array.from({ length: 2_000 }, (_, number) => nameOf(`SELECT ${number} AS bounded`)).filter(
      (name) => name !== undefined,
    );
    expect(assignedNames.length).toBeLessThanOrEqual(1_000);
    expect(nameOf("SELECT 0 AS bounded")).toBeDefined();
  });
});

interface Values {
  readonly chain: number;
  readonly address?: Buffer | null;
  readonly limit: number;
  readonly offset?: number | undefined;
}

const createLogs = () => {
  let compiled = 0;
  const logs = compose<{ block_number: number }, Values>(({ from, value, has }) => {
    compiled += 1;
    const rows = from("logs").select("block_number").where("chain_id", value("chain")).limit(value("limit"));
    if (has("address")) rows.where("address", value("address"));
    if (has("offset")) rows.offset(value("offset"));
    return rows;
  });
  return { logs, compiled: () => compiled };
};

describe("a composed statement", () => {
  const address = Buffer.alloc(20, 1);

  it("binds each value at the position of its parameter", () => {
    const { logs } = createLogs();
    const statement = logs({ chain: 5, address, limit: 10, offset: 20 });
    expect(statement.text).toBe('select "block_number" from "logs" where "chain_id" = $1 and "address" = $2 limit $3 offset $4');
    expect(statement.values).toEqual([5, address, 10, 20]);
  });

  it("omits parts if their value is undefined, null or absent", () => {
    const { logs } = createLogs();
    for (const values of [
      { chain: 5, limit: 10 },
      { chain: 5, address: null, limit: 10, offset: undefined },
    ]) {
      expect(logs(values)).toMatchObject({ text: 'select "block_number" from "logs" where "chain_id" = $1 limit $2', values: [5, 10] });
    }
  });

  it("is compiled once for each shape", () => {
    const { logs, compiled } = createLogs();
    const names = new Set([1, 2, 3].map((chain) => logs({ chain, limit: chain }).name));
    names.add(logs({ chain: 1, address, limit: 1 }).name);
    names.add(logs({ chain: 2, address, limit: 2 }).name);
    expect([names.size, compiled()]).toEqual([2, 2]);
  });

  it("binds one value for several parameters, and leaves question marks in expressions unchanged", () => {
    const statement = compose<object, { chain: number; keys: string }>(({ from, raw, value }) =>
      from("logs")
        .select(raw(sql`data ? 'a' AS has_a`))
        .where("chain_id", value("chain"))
        .whereRaw("topic0 = ANY (?::bytea[]) AND chain_id < ?", [value("keys"), value("chain")]),
    )({ chain: 3, keys: "{}" });
    expect(statement.text).toContain("data ? 'a' AS has_a");
    expect(statement.values).toEqual([3, "{}", 3]);
  });

  it("binds constants in addition to values", () => {
    const newest = compose<object, { chain: number }>(({ from, value }) =>
      from("logs").where("topic0", "x").where("chain_id", value("chain")).limit(5),
    );
    expect(newest({ chain: 3 }).values).toEqual(["x", 3, 5]);
  });

  it("rejects missing parameters", () => {
    expect(() =>
      compose<object, Values>(({ from, value }) => from("logs").where("address", value("address")))({ chain: 5, limit: 1 }),
    ).toThrow("Missing value for address");
  });
});
