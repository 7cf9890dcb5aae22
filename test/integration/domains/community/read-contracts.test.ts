import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type CommunityIndex, type CommunityOptions, startCommunityIndex, vaultsOf } from "./support.ts";
import { type Market, startMarket } from "./vault-market.ts";

let chain: TestChain;
let market: Market;
let owner: Address;
let testDatabase: TestDatabase;
let database: Database;
let index: CommunityIndex;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  [owner] = chain.accounts as [Address];
});
afterEach(async () => {
  await index.end();
  await testDatabase.drop();
});
afterAll(() => chain?.stop());

/** Starts an index without running its jobs. */
const start = async (options: Partial<CommunityOptions> = {}): Promise<void> => {
  testDatabase = await createTestDatabase();
  database = testDatabase.database;
  index = await startCommunityIndex(chain, database, { protocols: [vaultsOf(market.factory)], ...options });
  await index.waitForHead();
};
const depositOnce = async (): Promise<number> => {
  await chain.send(market.deposit(owner, 10n), encodeCall(contracts("Asset"), market.asset, "transfer", [market.vaults[0], 3n]));
  await chain.mine();
  return chain.head();
};
const prices = () =>
  database.query<{ block_number: number; assets: string | null }>(
    "SELECT block_number, assets FROM cq_vaults.share_price WHERE contract = $1 ORDER BY block_number",
    [Buffer.from(market.vaults[0]?.slice(2) ?? "", "hex")],
  );
const priceAt = async (block: number): Promise<string> => {
  const request = encodeCall(contracts("Vault"), market.vaults[0] as Address, "convertToAssets", [10n ** 36n]);
  return BigInt(await chain.rpc<string>("eth_call", [request, `0x${block.toString(16)}`])).toString();
};
const queued = () => database.query<{ attempts: number }>("SELECT attempts FROM community_reads");

describe("contract reads", () => {
  it("wait while the node is down, without counting attempts", async () => {
    await depositOnce();
    await start();
    index.fault.isDown = true;
    await index.sync();
    expect(await prices()).toEqual([]);
    expect((await queued()).length).toBeGreaterThan(1);
    expect((await queued()).every(({ attempts }) => attempts === 0)).toBe(true);
    expect(index.warnings.join()).toContain("job read-protocol-contracts failed");
    index.fault.isDown = false;
    await index.sync();
    expect(await queued()).toEqual([]);
    for (const { block_number, assets } of await prices()) expect(assets).toBe(await priceAt(block_number));
  });

  it("store null for a contract whose calls fail at the node, after eight attempts", async () => {
    await depositOnce();
    await start();
    const [first, second] = market.vaults as [Address, Address];
    index.fault.contracts = new Set([first]);
    await index.sync();
    expect((await queued()).every(({ attempts }) => attempts > 0)).toBe(true);
    // Other contracts are read meanwhile.
    const [other] = await database.query<{ known: number }>("SELECT count(*) AS known FROM cq_vaults.share_price WHERE contract = $1", [
      Buffer.from(second.slice(2), "hex"),
    ]);
    expect(other?.known).toBeGreaterThan(0);
    // The wait before the next attempt grows up to an hour.
    for (let round = 0; round < 100; round += 1) await index.sync();
    expect(await queued()).toEqual([]);
    const stored = await prices();
    expect(stored.length).toBeGreaterThan(1);
    expect(stored.every(({ assets }) => assets === null)).toBe(true);
  });

  /** Vaults whose price is read only at blocks that touch them. */
  const touchedOnly = () => {
    const protocol = vaultsOf(market.factory);
    return { protocols: [{ ...protocol, reads: protocol.reads.map((read) => ({ ...read, everyBlocks: null })) }], isPruned: true };
  };

  it("are done only at the newest blocks if the node lacks older state", async () => {
    const touched = [await depositOnce(), await depositOnce(), await depositOnce()] as const;
    await start(touchedOnly());
    index.fault.lacksUpTo = touched[1];
    await index.sync();
    expect(await prices()).toEqual([{ block_number: touched[2], assets: await priceAt(touched[2]) }]);
    expect(await queued()).toEqual([]);
  });

  it("are done at the head after eight attempts if the node reports archive state but lacks it", async () => {
    const last = await depositOnce();
    for (let block = 0; block < 3; block += 1) await chain.mine();
    await start({ ...touchedOnly(), isPruned: false });
    index.fault.lacksUpTo = last;
    await index.sync();
    expect((await queued()).length).toBeGreaterThan(0);
    expect(await prices()).toEqual([]);
    for (let round = 0; round < 8; round += 1) await index.sync();
    const head = await chain.head();
    expect(await prices()).toEqual([{ block_number: head, assets: await priceAt(head) }]);
    expect(await queued()).toEqual([]);
  });

  it("are done at each block whose state the node has, even if it lacks the state of 110 newer blocks", async () => {
    const kept = await depositOnce();
    // More blocks than are read for a contract at a time.
    let last = kept;
    for (let block = 0; block < 110; block += 1) last = await depositOnce();
    await chain.mine();
    await start({ ...touchedOnly(), isPruned: false });
    index.fault.lacksUpTo = last;
    index.fault.keeps = new Set([kept]);
    for (let round = 0; round < 8; round += 1) await index.sync();
    const head = await chain.head();
    expect(await prices()).toEqual([
      { block_number: kept, assets: await priceAt(kept) },
      { block_number: head, assets: await priceAt(head) },
    ]);
    expect(await queued()).toEqual([]);
  });

  it("are done at the head if the node lacks the state of all touched blocks, and again after a reorganisation", async () => {
    const last = await depositOnce();
    for (let block = 0; block < 3; block += 1) await chain.mine();
    await start(touchedOnly());
    index.fault.lacksUpTo = last;
    await index.sync();
    const head = await chain.head();
    expect(await prices()).toEqual([{ block_number: head, assets: await priceAt(head) }]);
    await chain.rpc("anvil_reorg", [2, []]);
    await chain.mine();
    await index.sync();
    const [price, ...others] = await prices();
    expect(others).toEqual([]);
    expect(price?.assets).toBe(await priceAt(head));
    expect(price?.block_number).toBeGreaterThan(last);
    expect(await queued()).toEqual([]);
  });
});
