import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytes } from "../../../../runtime/database/codecs.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";

const chainId = 1;
const address = (number: number): string => `0x${number.toString(16).padStart(40, "0")}`;
const gold = address(0x90);
const silver = address(0x91);

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // 200 owners of 50 tokens each: every balance is 10 from block 1 on, and 20 from block 6 on.
  await testDatabase.database.query(
    `INSERT INTO balances SELECT $1, decode(lpad(to_hex(o), 40, '0'), 'hex'), decode(lpad(to_hex(t), 40, '0'), 'hex'), 1, 6, 20
     FROM generate_series(1, 200) o, generate_series(144, 193) t`,
    [chainId],
  );
  await testDatabase.database.query(
    `INSERT INTO balance_periods SELECT chain_id, owner, token, standard, 1, 5, 4, 10 FROM balances WHERE chain_id = $1`,
    [chainId],
  );
  await testDatabase.database.query(
    "INSERT INTO token_metadata VALUES ($1, $2, 1, 'Gold', 'GLD', 6, 1), ($1, $3, 1, 'Silver', 'SLV', NULL, 1)",
    [chainId, bytes(gold as `0x${string}`), bytes(silver as `0x${string}`)],
  );
  // In hour 10 gold costs 0.000002 US dollars per smallest unit, and from hour 12 on its price is unknown.
  await testDatabase.database.query(`INSERT INTO priced_assets VALUES ($1, $2, 10, 1), ($1, $3, 10, 1)`, [
    chainId,
    bytes(gold as `0x${string}`),
    bytes(silver as `0x${string}`),
  ]);
  await testDatabase.database.query(
    `INSERT INTO price_hours VALUES ($1, $2, 10, 0.000002, 0.000002, 0.000002, 0.000002, 1), ($1, $2, 12, NULL, NULL, NULL, NULL, 1),
       ($1, $3, 10, 5, 5, 5, 5, 1)`,
    [chainId, bytes(gold as `0x${string}`), bytes(silver as `0x${string}`)],
  );
  // Gold is minted in blocks 1 and 5; its contract reports 7 more from block 3 on and an unknown amount from block 6 on. Silver is minted in block 4.
  await testDatabase.database.query(`INSERT INTO token_supplies VALUES ($1, $2, 1, 1, 100), ($1, $2, 1, 5, 300), ($1, $3, 1, 4, 40)`, [
    chainId,
    bytes(gold as `0x${string}`),
    bytes(silver as `0x${string}`),
  ]);
  await testDatabase.database.query(`INSERT INTO supply_offsets VALUES ($1, $2, 3, 7), ($1, $2, 6, NULL)`, [
    chainId,
    bytes(gold as `0x${string}`),
  ]);
  // Enough other rows to show whether an index on blocks alone is used, which would read all of them.
  for (const table of [
    "token_supplies (chain_id, token, standard, block_number, supply) SELECT $1, token, 1, block, 5",
    "supply_offsets (chain_id, token, block_number, difference) SELECT $1, token, block, 5",
  ])
    await testDatabase.database.query(
      `INSERT INTO ${table} FROM (SELECT decode(lpad(to_hex(t), 40, '0'), 'hex') AS token, block
         FROM generate_series(1000, 2000) t, generate_series(1, 20) block) others`,
      [chainId],
    );
  await testDatabase.database.query("ANALYZE");
});
afterAll(() => testDatabase?.drop());

/** A statement's plan without sequential scans, which would be cheaper than index scans on this test's small tables. */
const explain = (statement: string, parameters: readonly unknown[]): Promise<string> =>
  testDatabase.database.transaction(async (client) => {
    await client.query("SET LOCAL enable_seqscan = off");
    const rows = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (COSTS OFF) ${statement}`, parameters);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  });

describe("api.balances_at", () => {
  it("returns the balances that held at a block", async () => {
    const balanceAt = (block: number) =>
      testDatabase.database.query("SELECT balance FROM api.balances_at($1, $2) WHERE owner = $3 AND token = $4", [
        chainId,
        block,
        bytes(address(7) as `0x${string}`),
        bytes(gold as `0x${string}`),
      ]);
    expect(await balanceAt(0)).toEqual([]);
    expect(await balanceAt(5)).toEqual([{ balance: "10" }]);
    expect(await balanceAt(6)).toEqual([{ balance: "20" }]);
  });

  it("is inlined, with owner and token as index conditions on the primary keys", async () => {
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
    testDatabase.database.query(
      "SELECT price::float8 AS price, unit_price::float8 AS unit_price FROM api.prices_at($1, $2) WHERE token = $3",
      [chainId, hour * 3600, bytes(gold as `0x${string}`)],
    );

  it("returns the price of a whole token in the hour that contains a time, and no row if it is unknown", async () => {
    // 0.000002 US dollars x 10^6 units.
    expect(await pricesAt(10)).toEqual([{ price: 2, unit_price: 0.000002 }]);
    expect(await pricesAt(11)).toEqual([{ price: 2, unit_price: 0.000002 }]);
    expect(await pricesAt(9)).toEqual([]);
    expect(await pricesAt(12)).toEqual([]);
  });

  it("returns null as the price of a token with unknown decimals", async () => {
    const rows = await testDatabase.database.query(
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

describe("api.supplies", () => {
  const newest =
    "SELECT supply FROM api.supplies WHERE chain_id = $1 AND token = $2 AND block_number <= $3 ORDER BY block_number DESC LIMIT 1";
  const supplyAt = async (token: string, block: number) => {
    const rows = await testDatabase.database.query<{ supply: string | null }>(newest, [chainId, bytes(token as `0x${string}`), block]);
    return rows.map(({ supply }) => supply);
  };

  it("returns mints minus burns, plus the difference that the contract reports, as of a block", async () => {
    expect(await supplyAt(gold, 0)).toEqual([]);
    expect(await supplyAt(gold, 2)).toEqual(["100"]);
    expect(await supplyAt(gold, 3)).toEqual(["107"]);
    expect(await supplyAt(gold, 5)).toEqual(["307"]);
    expect(await supplyAt(gold, 6)).toEqual([null]);
    expect(await supplyAt(silver, 9)).toEqual(["40"]);
  });

  it("returns null in an index that starts late, and for a node-sourced token, until the supply is read", async () => {
    const nullAfter = (statement: string) =>
      testDatabase.database.transaction(async (client) => {
        await client.query(statement, [chainId]);
        const rows = await client.query<{ supply: string | null }>(newest, [chainId, bytes(silver as `0x${string}`), 9]);
        await client.query("DELETE FROM chains");
        await client.query("DELETE FROM node_sourced_tokens");
        return rows;
      });
    expect(await nullAfter("INSERT INTO chains (chain_id, name, genesis_hash, indexed_from) VALUES ($1, 'late', '', 3)")).toEqual([
      { supply: null },
    ]);
    expect(
      await nullAfter(
        `INSERT INTO node_sourced_tokens (chain_id, token, standard, found_at_block, owner, node_balance, found_at) SELECT $1, '\\x${silver.slice(2)}'::bytea, 1, 0, ''::bytea, 0, now()`,
      ),
    ).toEqual([{ supply: null }]);
    expect(await supplyAt(silver, 9)).toEqual(["40"]);
  });

  it("returns null for a sum that no contract can report", async () => {
    await testDatabase.database.transaction(async (client) => {
      const rowsOf = async (supply: bigint) => {
        await client.query("UPDATE token_supplies SET supply = $1::numeric WHERE token = $2", [
          String(supply),
          bytes(silver as `0x${string}`),
        ]);
        return client.query<{ supply: string | null }>(newest, [chainId, bytes(silver as `0x${string}`), 9]);
      };
      expect(await rowsOf(2n ** 256n - 1n)).toEqual([{ supply: String(2n ** 256n - 1n) }]);
      expect(await rowsOf(2n ** 256n)).toEqual([{ supply: null }]);
      expect(await rowsOf(-1n)).toEqual([{ supply: null }]);
      await rowsOf(40n);
    });
  });

  it("reads the newest row by index conditions on the token and the block", async () => {
    const plan = await explain(newest, [chainId, bytes(gold as `0x${string}`), 5]);
    for (const index of ["token_supplies_pkey", "supply_offsets_pkey"])
      expect(plan).toMatch(new RegExp(`using ${index} on [^\\n]*\\n\\s+Index Cond: \\([^\\n]*token = [^\\n]*block_number <= `));
    expect(plan).not.toMatch(/-> {2}Sort\b/);
  });
});
