import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { hashContents } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { tableOf } from "../../../support/declared-protocol.ts";
import { type CommunityOptions, deposit, startCommunityIndex, vaultsOf } from "./support.ts";
import { type Market, startMarket } from "./vault-market.ts";

const random = createRandom("installed vaults");
let chain: TestChain;
let market: Market;
const databases: TestDatabase[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  for (let block = 0; block < 20; block += 1) {
    await chain.send(...Array.from({ length: 3 }, () => market.randomTransaction(random)));
    await chain.mine();
  }
});
afterEach(async () => {
  await Promise.all(databases.splice(0).map((testDatabase) => testDatabase.drop()));
});
afterAll(() => chain?.stop());

const newDatabase = async (): Promise<Database> => {
  const testDatabase = await createTestDatabase();
  databases.push(testDatabase);
  return testDatabase.database;
};

/** Indexes up to the head with the given protocols, reads their contracts, and stops. Returns the projections that caught up. */
const indexWith = async (database: Database, protocols: readonly Protocol[], options: Partial<CommunityOptions> = {}) => {
  const index = await startCommunityIndex(chain, database, { protocols, ...options });
  await index.sync();
  await index.end();
  return { caughtUp: index.running.progress.flatMap(({ phase, projection }) => (phase === "catch-up" ? [projection] : [])) };
};

/** The row count and a hash of each table in a new index with these protocols. */
const freshContents = async (protocols: readonly Protocol[], options: Partial<CommunityOptions> = {}) => {
  const database = await newDatabase();
  await indexWith(database, protocols, options);
  return hashContents(database);
};

const relations = async (database: Database) =>
  (
    await database.query<{ name: string }>(
      `SELECT format('%s.%s', nspname, relname) AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE (nspname LIKE 'cq%' OR relname LIKE 'cq%') AND relkind IN ('r', 'v') ORDER BY 1`,
    )
  ).map(({ name }) => name);

describe("a declared protocol", () => {
  it("catches up from the stored ledger when it is added to an index", async () => {
    const database = await newDatabase();
    await indexWith(database, []);
    const { caughtUp } = await indexWith(database, [vaultsOf(market.factory)]);
    expect(new Set(caughtUp)).toEqual(new Set(["community:vaults"]));
    expect(await hashContents(database)).toEqual(await freshContents([vaultsOf(market.factory)]));
    expect((await database.query("SELECT FROM cq_vaults.deposits")).length).toBeGreaterThan(5);
  });

  it("is not rebuilt when it is opened again unchanged", async () => {
    const database = await newDatabase();
    await indexWith(database, [vaultsOf(market.factory)]);
    const before = await database.query("SELECT ctid, xmin, * FROM cq_vaults_deposits");
    const { caughtUp } = await indexWith(database, [vaultsOf(market.factory)]);
    expect(caughtUp).toEqual([]);
    expect(await database.query("SELECT ctid, xmin, * FROM cq_vaults_deposits")).toEqual(before);
  });

  it.each([
    ["has a new table", () => vaultsOf(market.factory, { tables: [tableOf("paid_in", "vault", [deposit])], reads: [] })],
    ["has a new version", () => vaultsOf(market.factory, { version: 2 })],
    ["has other contracts", () => vaultsOf(null)],
  ])("is rebuilt if it %s", async (_, changed) => {
    const database = await newDatabase();
    await indexWith(database, [vaultsOf(market.factory)]);
    const options = { community: { vaults: { vault: market.vaults.slice(0, 1) } } };
    const { caughtUp } = await indexWith(database, [changed()], options);
    expect(new Set(caughtUp)).toEqual(new Set(["community:vaults"]));
    const expected = await freshContents([changed()], options);
    expect(await hashContents(database)).toEqual(expected);
    expect(Object.keys(expected)).toContain("cq_vaults_contracts");
  });

  it("leaves no table, view, checkpoint or queued read when it is removed", async () => {
    const database = await newDatabase();
    await indexWith(database, [vaultsOf(market.factory)]);
    expect((await relations(database)).length).toBeGreaterThan(10);
    await indexWith(database, []);
    expect(await relations(database)).toEqual([]);
    expect(await database.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'cq%'")).toEqual([]);
    expect(await hashContents(database)).toEqual(await freshContents([]));
  });

  it("has no rows on a chain after its contracts on that chain are removed", async () => {
    const database = await newDatabase();
    const community = { vaults: { vault: market.vaults } };
    await indexWith(database, [vaultsOf(null)], { community });
    expect((await database.query("SELECT FROM cq_vaults.deposits")).length).toBeGreaterThan(5);
    await indexWith(database, [vaultsOf(null)]);
    for (const name of await relations(database)) expect(await database.query(`SELECT FROM ${name}`), name).toEqual([]);
    expect(await database.query("SELECT FROM projection_checkpoints WHERE projection LIKE 'community%'")).toEqual([]);
    expect(await database.query("SELECT FROM community_read_schedule UNION ALL SELECT FROM community_reads")).toEqual([]);
  });

  it("can be read by the reader role only through its views", async () => {
    const database = await newDatabase();
    const [row] = await database.query<{ role: string }>("SELECT 'reader ' || current_database() AS role");
    const role = row?.role ?? "";
    await database.query(`CREATE ROLE "${role}"`);
    try {
      await indexWith(database, [vaultsOf(market.factory)], { readerRole: role });
      const queryAsReader = (sql: string) =>
        database.transaction(async (client) => {
          await client.query(`SET LOCAL ROLE "${role}"`);
          return client.query(sql);
        });
      expect((await queryAsReader("SELECT owner FROM cq_vaults.deposits")).length).toBeGreaterThan(5);
      await expect(queryAsReader("SELECT FROM cq_vaults_deposits")).rejects.toThrow(/permission denied/);
      await expect(queryAsReader("DELETE FROM cq_vaults.deposits")).rejects.toThrow(/permission denied/);
      // The next start restores the access of a role that lost it, for example because it was recreated.
      await database.query(`DROP OWNED BY "${role}"`);
      await expect(queryAsReader("SELECT owner FROM cq_vaults.deposits")).rejects.toThrow(/permission denied/);
      await indexWith(database, [vaultsOf(market.factory)], { readerRole: role });
      expect((await queryAsReader("SELECT owner FROM cq_vaults.deposits")).length).toBeGreaterThan(5);
    } finally {
      await database.query(`DROP OWNED BY "${role}"; DROP ROLE "${role}"`);
    }
  });
});
