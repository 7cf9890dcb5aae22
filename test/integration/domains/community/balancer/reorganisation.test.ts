import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import type { Database } from "../../../../../runtime/database/database.ts";
import type { Hex } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { dump } from "../../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type PoolMarket, startPoolMarket } from "./market.ts";

const random = createRandom("branches of pools");
const protocol = builtInProtocol("protocol_02");

let chain: TestChain;
let market: PoolMarket;
let test: TestDatabase;
let index: CommunityIndex;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startPoolMarket(chain);
  test = await createTestDatabase();
  index = await startIndex(test.database);
});
afterAll(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
});

const startIndex = (database: Database): Promise<CommunityIndex> =>
  startCommunityIndex(chain, database, { protocols: [protocol], community: { protocol_02: { vault: [market.vault] } } });

const toRpc = (transaction: TestTransaction) => ({ gas: "0x4c4b40" as Hex, ...transaction });

/** The answers of all operations at the head. */
const answers = async (database: Database): Promise<unknown[]> => {
  const itemsOf = createItemsOf(database, protocol);
  const height = await chain.head();
  const found: unknown[] = [await itemsOf("market_data", { height }), await itemsOf("markets", { height })];
  for (const wallet of market.people)
    for (const operation of ["balances", "tokens", "transactions"]) found.push(await itemsOf(operation, { height, wallet }));
  return found;
};

describe("protocol 02 after a reorganisation", () => {
  it.each([1, 3, 10])("of %i blocks has the rows and answers of an undisturbed index", async (depth) => {
    for (let block = 0; block < 12; block += 1) {
      await chain.send(...Array.from({ length: 4 }, () => market.randomTransaction(random)));
      await chain.mine();
    }
    await index.sync();
    const before = await answers(test.database);
    const branch = Array.from({ length: 3 * depth }, () => [toRpc(market.randomTransaction(random)), random.between(0, depth - 1)]);
    await chain.rpc("anvil_reorg", [depth, branch]);
    await chain.mine();
    await index.sync();
    const other = await createTestDatabase();
    const undisturbed = await startIndex(other.database);
    await undisturbed.sync();
    await undisturbed.end();
    const [rows, expected] = [await dump(test.database), await dump(other.database)];
    for (const table of Object.keys(expected)) expect(rows[table], table).toEqual(expected[table]);
    for (const name of ["pool_tokens", "actual_supply", "share_supply", "swaps", "balance_changes"])
      expect(rows[`cq_protocol_02_${name}`]?.length, name).toBeGreaterThan(5);
    const after = await answers(test.database);
    expect(after).toEqual(await answers(other.database));
    expect(after).not.toEqual(before);
    await other.drop();
    expect(index.running.progress.filter(({ phase }) => phase === "reorganisation").at(-1)?.blocks).toBe(depth);
  });
});
