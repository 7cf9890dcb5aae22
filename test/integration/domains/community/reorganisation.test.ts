import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { call, startTestChain, type TestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { replaceBlocks } from "./replace-blocks.ts";
import { type CommunityIndex, startCommunityIndex, vaultsOf } from "./support.ts";
import { createVault, type Market, startMarket } from "./vault-market.ts";

const random = createRandom("branches of vaults");
let chain: TestChain;
let market: Market;
let test: TestDatabase;
let index: CommunityIndex;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  test = await createTestDatabase();
  index = await startCommunityIndex(chain, test.database, { protocols: [vaultsOf(market.factory)] });
});
afterAll(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
});

const addBlocks = async (count: number): Promise<void> => {
  for (let block = 0; block < count; block += 1) {
    await chain.send(...Array.from({ length: random.between(0, 4) }, () => market.randomTransaction(random)));
    await chain.mine();
  }
};

/** Replaces the last blocks with as many others, which have other deposits and announce another vault. */
const branch = async (depth: number): Promise<void> => {
  const transactions = Array.from({ length: random.between(2, 10) }, () => market.randomTransaction(random));
  const announcement = call(contracts("Factory"), market.factory, "createWithDeposit", [market.asset, 77n]);
  await replaceBlocks(chain, depth, random, [...transactions, announcement]);
};

/** The rows of an index that never saw the replaced blocks. */
const fresh = async (): Promise<Record<string, string[]>> => {
  const other = await createTestDatabase();
  const undisturbed = await startCommunityIndex(chain, other.database, { protocols: [vaultsOf(market.factory)] });
  await undisturbed.sync();
  await undisturbed.end();
  const rows = await dump(other.database);
  await other.drop();
  return rows;
};

describe("the tables of declared protocols after a reorganisation", () => {
  it.each([1, 3, 10])("of %i blocks equal those of an undisturbed index", async (depth) => {
    await addBlocks(12);
    // In one of the replaced blocks.
    await createVault(chain, { ...market, vaults: [] as Address[] }, true);
    await index.sync();
    const before = await dump(test.database);
    await branch(depth);
    await addBlocks(1);
    await index.sync();
    const [rows, expected] = [await dump(test.database), await fresh()];
    for (const table of Object.keys(expected)) expect(rows[table], table).toEqual(expected[table]);
    for (const table of ["cq_vaults_contracts", "cq_vaults_deposits", "cq_vaults_deposits_latest", "cq_vaults_share_price"]) {
      expect(rows[table]?.length, table).toBeGreaterThan(3);
      expect(rows[table], table).not.toEqual(before[table]);
    }
    expect(index.running.progress.filter(({ phase }) => phase === "reorganisation").at(-1)?.blocks).toBe(depth);
  });
});
