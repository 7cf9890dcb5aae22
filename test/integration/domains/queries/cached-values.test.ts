import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytes } from "../../../../runtime/database/codecs.ts";
import type { Queryable } from "../../../../runtime/database/database.ts";
import { createIndexCache, indexChannel } from "../../../../runtime/database/index-cache.ts";
import { createNotifications } from "../../../../runtime/database/notifications.ts";
import { createRollUpQueries } from "../../../../runtime/domains/dex/queries/roll-up.ts";
import { createLedgerQueries } from "../../../../runtime/domains/ledger/queries/index.ts";
import { nodeOf, reverseNamespaces, reverseNode } from "../../../../runtime/domains/names/name-nodes.ts";
import { nameRecordKinds } from "../../../../runtime/domains/names/projection.ts";
import { createNameQueries } from "../../../../runtime/domains/names/queries/index.ts";
import { createPoolQueries } from "../../../../runtime/domains/pools/queries/index.ts";
import { createPriceQueries } from "../../../../runtime/domains/prices/queries/price.ts";
import { createTokenQueries } from "../../../../runtime/domains/tokens/queries/index.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { until } from "../../../support/until.ts";

const chainId = 1;
const address: Address = `0x${"ab".repeat(20)}`;
const registry: Address = `0x${"ee".repeat(20)}`;
const resolver: Address = `0x${"dd".repeat(20)}`;

let testDatabase: TestDatabase;
let stop: () => Promise<void>;
let read: ReturnType<typeof createReads>;
let statements = 0;

/** Reads values of one address through the queries that cache them. */
function createReads(database: Queryable, cache: ReturnType<typeof createIndexCache>) {
  const tokens = createTokenQueries(database, cache);
  const pools = createPoolQueries(database, () => [registry], cache);
  const names = createNameQueries(database, () => [registry], cache.lookups("name_records"));
  const prices = createPriceQueries(database, (chain) => chain, cache);
  const ledger = createLedgerQueries(database, cache);
  const rollUps = createRollUpQueries(database, cache);
  return {
    symbol: async () => (await tokens.metadata(chainId, [address])).get(address)?.symbol,
    standards: async () => (await tokens.metadata(chainId, [address])).get(address)?.standards.length,
    factory: async () => (await pools.factoriesAt(chainId, [address], 10)).get(address),
    name: async () => (await names.namesOf(chainId, [address])).get(address),
    rate: async () => (await prices.ratesAtTimes(chainId, "USD", [{ asset: address, time: 7_200 }]))[0]?.digits,
    dailyRate: async () => (await prices.ratesOfDays(chainId, "USD", [address], [1]))(address, 1)?.digits,
    rateOfPriced: async () => (await prices.ratesAt(chainId, "USD", [address], 7_200))(address)?.digits,
    block: async () => (await ledger.blockByNumber(chainId, 3))?.timestamp,
    lastBlock: async () => (await ledger.lastBlockBefore(chainId, 1_000))?.number,
    height: async () => (await tokens.heightsBefore(chainId, [1_000]))[0],
    newestHour: async () => (await rollUps.newestHour(chainId, address, 40, 10))?.swaps,
    // Hour 47 is the last one of day 1.
    wholeDay: async () => (await rollUps.wholeDays(chainId, address, [1]))(1)?.swaps,
  };
}

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const notifications = createNotifications({ url: () => testDatabase.url, channel: indexChannel, applicationName: "ashlar-cache-test" });
  const counted: Queryable = {
    query: (...parameters) => {
      statements += 1;
      return testDatabase.database.query(...parameters);
    },
    run: (statement) => testDatabase.database.run(statement),
  };
  read = createReads(counted, createIndexCache(notifications));
  await until("the connection", () => notifications.state() === "connected");
  stop = async () => {
    await notifications.close();
    await testDatabase.drop();
  };
});
afterAll(() => stop());

/** Returns a value before and after an insertion. Waits until reads send no statement, and until a deletion restores the first value. */
async function observeChange<T>(readValue: () => Promise<T>, table: string, insert: () => Promise<unknown>) {
  const before = await readValue();
  await until("a read without a statement", async () => {
    const sent = statements;
    await readValue();
    return statements === sent;
  });
  await insert();
  await until("the new value", async () => (await readValue()) !== before);
  const after = await readValue();
  await testDatabase.database.transaction(async (client) => {
    await client.query(`DELETE FROM ${table} WHERE chain_id = $1`, [chainId]);
    await client.query("SELECT content_changed($1)", [chainId]);
  });
  await until("the old value", async () => (await readValue()) === before);
  return { before, after };
}

const insertName = (contract: Address, node: string, record: number, value: string) =>
  testDatabase.database.query(
    `INSERT INTO name_records (chain_id, contract, node, record, block_number, value) VALUES ($1, $2, $3, $4, 1, $5)`,
    [chainId, bytes(contract), bytes(node), record, bytes(value)],
  );

describe("values that are cached in memory", () => {
  it("change with token metadata", async () => {
    const insert = () =>
      testDatabase.database.query(
        "INSERT INTO token_metadata (chain_id, address, block_number, read_at_block, symbol) VALUES ($1, $2, 1, 1, 'ONE')",
        [chainId, bytes(address)],
      );
    expect(await observeChange(read.symbol, "token_metadata", insert)).toEqual({ before: null, after: "ONE" });
  });

  it("change with contract standards", async () => {
    const insert = () =>
      testDatabase.database.query("INSERT INTO token_standards (chain_id, address, standard, block_number) VALUES ($1, $2, 1, 1)", [
        chainId,
        bytes(address),
      ]);
    expect(await observeChange(read.standards, "token_standards", insert)).toEqual({ before: 0, after: 1 });
  });

  it("change with pool announcements", async () => {
    const insert = () =>
      testDatabase.database.query(
        `INSERT INTO pools (chain_id, pool, announcement, factory, token0, token1, family, block_number, transaction_index)
         VALUES ($1, $2, 0, $3, $2, $2, 2, 10, 0)`,
        [chainId, bytes(address), bytes(registry)],
      );
    expect(await observeChange(read.factory, "pools", insert)).toEqual({ before: undefined, after: registry });
  });

  it("change with names", async () => {
    const [space = "0x"] = reverseNamespaces(chainId);
    const name = "alice.eth";
    const insert = async () => {
      for (const node of [nodeOf(name), reverseNode(space, address)]) await insertName(registry, node, nameRecordKinds.resolver, resolver);
      await insertName(resolver, reverseNode(space, address), nameRecordKinds.name, `0x${Buffer.from(name).toString("hex")}`);
      await insertName(resolver, nodeOf(name), nameRecordKinds.address, address);
    };
    expect(await observeChange(read.name, "name_records", insert)).toEqual({ before: undefined, after: name });
  });

  it("change with hourly and daily prices", async () => {
    const insertInto = (table: string, column: string) => () =>
      testDatabase.database.query(`INSERT INTO ${table} (chain_id, asset, ${column}, close) VALUES ($1, $2, 1, 5)`, [
        chainId,
        bytes(address),
      ]);
    const expected = { before: undefined, after: 5n };
    expect(await observeChange(read.rate, "price_hours", insertInto("price_hours", "hour"))).toEqual(expected);
    expect(await observeChange(read.dailyRate, "price_days", insertInto("price_days", "day"))).toEqual(expected);
  });

  it("change with the assets that have prices", async () => {
    const insert = () =>
      testDatabase.database.transaction(async (client) => {
        await client.query("INSERT INTO priced_assets (chain_id, asset, hour) VALUES ($1, $2, 1)", [chainId, bytes(address)]);
        await client.query("INSERT INTO price_hours (chain_id, asset, hour, close) VALUES ($1, $2, 1, 5)", [chainId, bytes(address)]);
      });
    expect(await observeChange(read.rateOfPriced, "price_hours", insert)).toEqual({ before: undefined, after: 5n });
  });

  it("change with blocks", async () => {
    const insert = () =>
      testDatabase.database.query(
        `INSERT INTO blocks (chain_id, number, hash, parent_hash, timestamp, miner, extra_data, gas_used, gas_limit, size, transaction_count)
         VALUES ($1, 3, $2, $2, 900, $2, '', 0, 0, 0, 0)`,
        [chainId, bytes(address)],
      );
    expect(await observeChange(read.block, "blocks", insert)).toEqual({ before: undefined, after: 900 });
    expect(await observeChange(read.lastBlock, "blocks", insert)).toEqual({ before: undefined, after: 3 });
    expect(await observeChange(read.height, "blocks", insert)).toEqual({ before: null, after: 3 });
  });

  it("change with exchange totals", async () => {
    const insert = () =>
      testDatabase.database.transaction(async (client) => {
        await client.query(
          `INSERT INTO exchange_hours (chain_id, factory, hour, block_number, fingerprint, pools, week_pools, ranked_tokens, swaps, day_swaps)
           VALUES ($1, $2, 47, 10, '', 1, 1, 1, 6, 6)`,
          [chainId, bytes(address)],
        );
        await client.query("SELECT content_changed($1)", [chainId]);
      });
    const expected = { before: undefined, after: 6 };
    expect(await observeChange(read.newestHour, "exchange_hours", insert)).toEqual(expected);
    expect(await observeChange(read.wholeDay, "exchange_hours", insert)).toEqual(expected);
  });
});
