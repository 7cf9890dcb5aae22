import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAsOfProjection } from "../../../../runtime/api/as-of-projection.ts";
import { createChainQueries } from "../../../../runtime/domains/chains/queries/index.ts";
import { createProtocolStatusQueries } from "../../../../runtime/domains/community/queries/status.ts";
import { createProgressQueries } from "../../../../runtime/domains/ledger/queries/progress.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { until } from "../../../support/until.ts";
import { contracts } from "./contracts.ts";
import { type CommunityIndex, startCommunityIndex, vaultsOf } from "./support.ts";
import { type Market, startMarket } from "./vault-market.ts";

let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  return () => chain.stop();
});
const protocols = () => [vaultsOf(market.factory), vaultsOf(market.factory, { id: "others" })];
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: protocols() });
  await index.waitForHead();
});
afterEach(async () => {
  await index?.end();
  await testDatabase?.drop();
});

const deposit = async (): Promise<void> => {
  const [from] = chain.accounts as [Address];
  await chain.send({ from, ...encodeCall(contracts("Vault"), market.vaults[0] as Address, "deposit", [1_000n, from]) });
  await chain.mine();
};
const rowsIn = async (table: string): Promise<number> => {
  const [row] = await testDatabase.database.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM cq_others_${table}`);
  return row?.rows ?? -1;
};
const switchedOff = async () => (await createChainQueries(testDatabase.database).nodes())[0]?.switched_off;

describe("a declared protocol whose rows cannot be written", () => {
  it("is switched off while the other protocol is indexed, and is rebuilt at the next start", async () => {
    await testDatabase.database.query("ALTER TABLE cq_vaults_deposits RENAME TO hidden");
    const before = await rowsIn("deposits");
    await deposit();
    await index.waitForHead();
    await until("the other protocol to have the deposit", async () => (await rowsIn("deposits")) === before + 1);
    expect(await switchedOff()).toEqual([{ projection: "community:vaults", reason: 'relation "cq_vaults_deposits" does not exist' }]);
    expect((await createChainQueries(testDatabase.database).nodes())[0]?.building).toEqual([]);

    await index.end();
    await testDatabase.database.query("ALTER TABLE hidden RENAME TO cq_vaults_deposits");
    index = await startCommunityIndex(chain, testDatabase.database, { protocols: protocols() });
    await index.waitForHead();
    expect(await switchedOff()).toEqual([]);
    const count = async (name: string) =>
      (await testDatabase.database.query<{ rows: number }>(`SELECT count(*)::int AS rows FROM ${name}`))[0]?.rows;
    expect(await count("cq_vaults_deposits")).toBe(await count("cq_others_deposits"));
    expect(await count("cq_vaults_deposits")).toBeGreaterThan(0);
  });

  it("responds with 503 and the path that reports the reason", async () => {
    await testDatabase.database.query("ALTER TABLE cq_vaults_deposits RENAME TO hidden");
    await deposit();
    await index.waitForHead();
    await until("the protocol to be switched off", async () => (await switchedOff())?.length === 1);
    const { asOfStateOf } = createAsOfProjection(
      createProgressQueries(testDatabase.database),
      () => true,
      () => false,
    );
    await expect(asOfStateOf(31337, "community.vaults.balances", { protocol: "vaults" })).rejects.toMatchObject({
      status: 503,
      message: "Tables of vaults are not available: their projection failed and is switched off; the reason is in /v1/chains/status/.",
    });
    expect((await asOfStateOf(31337, "community.others.balances", { protocol: "others" }))?.rebuildError).toBeNull();
  });
});

describe("a declared protocol whose read results cannot be rolled back", () => {
  it("is switched off, and the other protocol is rolled back", async () => {
    const snapshot = await chain.rpc<string>("evm_snapshot", []);
    await deposit();
    await index.waitForHead();
    const before = await rowsIn("deposits");
    await testDatabase.database.query("ALTER TABLE cq_vaults_share_price RENAME TO hidden");
    await chain.rpc("evm_revert", [snapshot]);
    await chain.mine();
    await chain.mine();
    await index.waitForHead();
    expect(await switchedOff()).toEqual([{ projection: "community:vaults", reason: 'relation "cq_vaults_share_price" does not exist' }]);
    expect(await rowsIn("deposits")).toBe(before - 1);
    await index.sync();
    expect(index.warnings).toEqual([]);
    expect(await rowsIn("share_price")).toBeGreaterThan(0);
  });
});

describe("a declared protocol whose tables cannot be created", () => {
  it("is switched off, and all other protocols are indexed", async () => {
    await index.end();
    await testDatabase.database.query("CREATE TABLE cq_late_deposits ()");
    const late = vaultsOf(market.factory, { id: "late" });
    index = await startCommunityIndex(chain, testDatabase.database, { protocols: [late, ...protocols()] });
    await deposit();
    await index.sync();
    expect(await switchedOff()).toEqual([{ projection: "community:late", reason: 'relation "cq_late_deposits" already exists' }]);
    expect(await rowsIn("deposits")).toBeGreaterThan(0);
    expect(index.warnings).toEqual([]);
    expect(await rowsIn("share_price")).toBeGreaterThan(0);
    expect(await testDatabase.database.query("SELECT FROM community_reads")).toEqual([]);
    const [status] = await createProtocolStatusQueries(testDatabase.database).statuses();
    expect(status).toMatchObject({ protocol: "late", failure: 'relation "cq_late_deposits" already exists', tables: [], queued_reads: 0 });
  });
});
