import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytes } from "../../../../runtime/database/codecs.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";

const chainId = 1;
const address = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;
const gold = address(0x90);
const silver = address(0x91);

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  // 200 owners of 50 tokens each: every balance is 10 from block 1, and twice that from block 6 on.
  await test.database.query(
    `INSERT INTO balances SELECT $1, decode(lpad(to_hex(o), 40, '0'), 'hex'), decode(lpad(to_hex(t), 40, '0'), 'hex'), 1, 6, 20
     FROM generate_series(1, 200) o, generate_series(144, 193) t`,
    [chainId],
  );
  await test.database.query(
    `INSERT INTO balance_periods SELECT chain_id, owner, token, standard, 1, 5, 4, 10 FROM balances WHERE chain_id = $1`,
    [chainId],
  );
  await test.database.query("INSERT INTO token_metadata VALUES ($1, $2, 1, 'Gold', 'GLD', 6, 1), ($1, $3, 1, 'Silver', 'SLV', NULL, 1)", [
    chainId,
    bytes(gold as `0x${string}`),
    bytes(silver as `0x${string}`),
  ]);
  // In hour 10 gold costs 0.000002 US dollars per smallest unit, and from hour 12 on its price is unknown.
  await test.database.query(`INSERT INTO priced_assets VALUES ($1, $2, 10, 1), ($1, $3, 10, 1)`, [
    chainId,
    bytes(gold as `0x${string}`),
    bytes(silver as `0x${string}`),
  ]);
  await test.database.query(
    `INSERT INTO price_hours VALUES ($1, $2, 10, 0.000002, 0.000002, 0.000002, 0.000002, 1), ($1, $2, 12, NULL, NULL, NULL, NULL, 1),
       ($1, $3, 10, 5, 5, 5, 5, 1)`,
    [chainId, bytes(gold as `0x${string}`), bytes(silver as `0x${string}`)],
  );
  await test.database.query("ANALYZE");
});
afterAll(() => test?.drop());

/** The plan of a statement, without sequential scans: those of the small tables of this test would be cheaper than their indexes. */
const explain = (statement: string, parameters: readonly unknown[]): Promise<string> =>
  test.database.transaction(async (client) => {
    await client.query("SET LOCAL enable_seqscan = off");
    const rows = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${statement}`, parameters);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });

describe("api.balances_at", () => {
  it("returns the balances that held at a block", async () => {
    const balanceAt = (block: number) =>
      test.database.query("SELECT balance FROM api.balances_at($1, $2) WHERE owner = $3 AND token = $4", [
        chainId,
        block,
        bytes(address(7) as `0x${string}`),
        bytes(gold as `0x${string}`),
      ]);
    expect(await balanceAt(0)).toEqual([]);
    expect(await balanceAt(5)).toEqual([{ balance: "10" }]);
    expect(await balanceAt(6)).toEqual([{ balance: "20" }]);
  });

  it("is inlined: owner and token become conditions of the primary keys", async () => {
    const plan = await explain("SELECT balance FROM api.balances_at($1, $2) WHERE owner = $3 AND token = $4", [
      chainId,
      5,
      bytes(address(7) as `0x${string}`),
      bytes(gold as `0x${string}`),
    ]);
    expect(plan).not.toContain("Function Scan");
    for (const index of ["balances_pkey", "balance_periods_pkey"])
      expect(plan).toMatch(new RegExp(`using ${index}[^\\n]*\\n\\s+Index Cond: \\([^\\n]*owner = [^\\n]*token = `));
  });
});

describe("api.prices_at", () => {
  const pricesAt = (hour: number) =>
    test.database.query("SELECT price::float8 AS price, unit_price::float8 AS unit_price FROM api.prices_at($1, $2) WHERE token = $3", [
      chainId,
      hour * 3600,
      bytes(gold as `0x${string}`),
    ]);

  it("returns the price of a whole token in the hour of a time, and no row if it is unknown", async () => {
    // 0.000002 US dollars x 10^6 units.
    expect(await pricesAt(10)).toEqual([{ price: 2, unit_price: 0.000002 }]);
    expect(await pricesAt(11)).toEqual([{ price: 2, unit_price: 0.000002 }]);
    expect(await pricesAt(9)).toEqual([]);
    expect(await pricesAt(12)).toEqual([]);
  });

  it("returns null as the price of a token with unknown decimals", async () => {
    const rows = await test.database.query(
      "SELECT price, unit_price::float8 AS unit_price FROM api.prices_at($1, 36000) WHERE token = $2",
      [chainId, bytes(silver as `0x${string}`)],
    );
    expect(rows).toEqual([{ price: null, unit_price: 5 }]);
  });

  it("is inlined", async () => {
    const plan = await explain("SELECT price FROM api.prices_at($1, 36000) WHERE token = $2", [chainId, bytes(gold as `0x${string}`)]);
    expect(plan).not.toContain("Function Scan");
    expect(plan).toContain("price_hours_pkey");
  });
});
