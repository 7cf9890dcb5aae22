import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type CTokenMarket, startCTokenMarket, variants } from "./market.ts";

const id = "protocol_08";
const protocol = builtInProtocol(id);
const random = createRandom("branches of cToken markets");
let chain: TestChain;
let market: CTokenMarket;
let test: TestDatabase;
let index: CommunityIndex;

const startIndex = (database: TestDatabase["database"]): Promise<CommunityIndex> =>
  startCommunityIndex(chain, database, { protocols: [protocol], community: { [id]: { comptroller: [market.registry] } } });

beforeAll(async () => {
  chain = await startTestChain();
  market = await startCTokenMarket(chain, [variants.balance, variants.balance]);
  test = await createTestDatabase();
  index = await startIndex(test.database);
});
afterAll(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
});

const addBlocks = async (count: number): Promise<void> => {
  for (let block = 0; block < count; block += 1) {
    await chain.send(...Array.from({ length: random.between(1, 4) }, () => market.randomTransaction(random)));
    await chain.mine();
  }
};

const toRpc = ({ value = 0n, ...transaction }: TestTransaction) => ({
  gas: "0x4c4b40" as Hex,
  ...transaction,
  value: `0x${value.toString(16)}`,
});

/** All answers as of the head, and transactions of all accounts. */
const answersOf = async (database: TestDatabase["database"], height: number) => {
  const itemsOf = createItemsOf(database, protocol);
  const wallets = market.people as readonly Address[];
  return {
    markets: await itemsOf("market_data", { height }),
    balances: await Promise.all(wallets.map((wallet) => itemsOf("balances", { wallet, height }))),
    transactions: await Promise.all(wallets.map((wallet) => itemsOf("transactions", { wallet, height }))),
  };
};

describe("answers about cToken markets after a reorganisation", () => {
  it.each([1, 3, 10])("of %i blocks equal those of an undisturbed index", async (depth) => {
    await addBlocks(14);
    await index.sync();
    const before = await answersOf(test.database, await chain.head());
    const branch = Array.from({ length: 12 }, () => [toRpc(market.randomTransaction(random)), random.between(0, depth - 1)]);
    await chain.rpc("anvil_reorg", [depth, branch]);
    await addBlocks(2);
    await index.sync();
    const height = await chain.head();
    const answers = await answersOf(test.database, height);
    const other = await createTestDatabase();
    const undisturbed = await startIndex(other.database);
    await undisturbed.sync();
    expect(answers).toEqual(await answersOf(other.database, height));
    await undisturbed.end();
    await other.drop();
    expect(answers).not.toEqual(before);
    expect(answers.balances.flat().length).toBeGreaterThan(2);
    expect(index.running.progress.filter(({ phase }) => phase === "reorganisation").at(-1)?.blocks).toBe(depth);
  });
});
