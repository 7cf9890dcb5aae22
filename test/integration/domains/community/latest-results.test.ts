import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type CommunityIndex, startCommunityIndex, vaultsOf } from "./support.ts";
import { createVault, type Market, startMarket } from "./vault-market.ts";

const chainId = 31337;
let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;
/** The blocks in which the first vault was touched. */
const touched: number[] = [];

/** Changes the first vault's price. */
const touch = async (): Promise<void> => {
  const [owner] = chain.accounts as [Address];
  await chain.send(market.deposit(owner, 10n), encodeCall(contracts("Asset"), market.asset, "transfer", [market.vaults[0], 3n]));
  await chain.mine();
  touched.push(await chain.head());
};

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  testDatabase = await createTestDatabase();
  const vaults = vaultsOf(market.factory);
  // Prices are read only at a vault's first block and at blocks that touch it.
  index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [{ ...vaults, reads: vaults.reads.map((read) => ({ ...read, everyBlocks: null })) }],
  });
  for (let step = 0; step < 4; step += 1) {
    await touch();
    await chain.mine();
  }
  await index.sync();
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const vault = () => Buffer.from(market.vaults[0]?.slice(2) ?? "", "hex");
const priceAt = async (block: number): Promise<string> => {
  const request = encodeCall(contracts("Vault"), market.vaults[0] as Address, "convertToAssets", [10n ** 36n]);
  return BigInt(await chain.rpc<string>("eth_call", [request, `0x${block.toString(16)}`])).toString();
};
const resultsAt = (block: number) =>
  testDatabase.database.query("SELECT block_number, assets FROM cq_vaults.share_price_at($1, $2) WHERE contract = $3", [
    chainId,
    block,
    vault(),
  ]);
const newest = () =>
  testDatabase.database.query("SELECT block_number, assets FROM cq_vaults.share_price_latest WHERE contract = $1", [vault()]);

describe("the latest results of a read", () => {
  it("equal the contract's results at each block", async () => {
    expect(new Set(await Promise.all(touched.map(priceAt))).size).toBe(touched.length);
    for (let block = touched[0] ?? 0; block <= (await chain.head()); block += 1) {
      const last = touched.findLast((touchedBlock) => touchedBlock <= block) ?? 0;
      expect(await resultsAt(block), `block ${block}`).toEqual([{ block_number: last, assets: await priceAt(last) }]);
    }
    expect(await resultsAt(0)).toEqual([]);
  });

  it("are not replaced by an older block's result that is read later", async () => {
    const [first = 0] = touched;
    const last = touched.at(-1) ?? 0;
    await testDatabase.database.query(
      "INSERT INTO community_reads (chain_id, protocol, read_name, contract, arguments, block_number, attempts) VALUES ($1, 'vaults', 'share_price', $2, '', $3, 0)",
      [chainId, vault(), first + 1],
    );
    await index.sync();
    expect(await newest()).toEqual([{ block_number: last, assets: await priceAt(last) }]);
    expect(await resultsAt(first + 1)).toEqual([{ block_number: first + 1, assets: await priceAt(first + 1) }]);
  });

  it("are those up to the common ancestor after a reorganisation that does not touch the contract again", async () => {
    const all = () => testDatabase.database.query("SELECT * FROM cq_vaults.share_price_latest ORDER BY contract");
    const before = await all();
    await touch();
    await createVault(chain, { ...market, vaults: [] }, true);
    await index.sync();
    const [changed] = await newest();
    expect(changed).toMatchObject({ block_number: touched.pop() });
    expect((await all()).length).toBe(before.length + 1);
    await chain.rpc("anvil_reorg", [(await chain.head()) - (touched.at(-1) ?? 0), []]);
    await chain.mine();
    await index.sync();
    expect(await all()).toEqual(before);
  });

  it("are returned by a function that PostgreSQL inlines, so that conditions reach the tables", async () => {
    const plan = await testDatabase.database.transaction(async (client) => {
      await client.query("SET LOCAL enable_seqscan = off");
      const rows = await client.query<{ "QUERY PLAN": string }>(
        "EXPLAIN (COSTS OFF) SELECT * FROM cq_vaults.share_price_at($1, $2) WHERE contract = $3",
        [chainId, touched[1], vault()],
      );
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    });
    expect(plan).not.toContain("Function Scan");
    expect(plan).toMatch(/ on cq_vaults_share_price_latest\n.*\n +Filter: \(contract = /);
  });
});
