import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf } from "../operations.ts";
import { replaceBlocks } from "../replace-blocks.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type StableMarket, startStableMarket } from "./market.ts";
import { contractsOf } from "./pool-index.ts";

const random = createRandom("branches of stable pools");
const protocol = builtInProtocol("protocol_05");

let chain: TestChain;
let market: StableMarket;
let test: TestDatabase;
let index: CommunityIndex;

const startIndex = ({ database }: TestDatabase): Promise<CommunityIndex> =>
  startCommunityIndex(chain, database, { protocols: [protocol], community: contractsOf(market) });

beforeAll(async () => {
  chain = await startTestChain();
  market = await startStableMarket(chain);
  test = await createTestDatabase();
  index = await startIndex(test);
}, 120_000);
afterAll(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
});

/** The answers of all operations. */
const answersOf = async ({ database }: TestDatabase): Promise<unknown[]> => {
  const itemsOf = createItemsOf(database, protocol);
  const height = await chain.head();
  const answers: unknown[] = [await itemsOf("market_data", { height }), await itemsOf("markets", { height })];
  for (const wallet of market.people)
    for (const operation of ["balances", "transactions", "tokens"]) answers.push(await itemsOf(operation, { height, wallet }));
  return answers;
};

describe("answers of protocol 05 after a reorganisation", () => {
  it.each([1, 3, 10])("of %i blocks equal those of an undisturbed index", async (depth) => {
    for (let block = 0; block < 12; block += 1) {
      await chain.send(...Array.from({ length: random.between(1, 4) }, () => market.randomTransaction(random)));
      await chain.mine();
    }
    await index.sync();
    const before = await answersOf(test);
    await replaceBlocks(
      chain,
      depth,
      random,
      Array.from({ length: 8 }, () => market.randomTransaction(random)),
    );
    await index.sync();
    const other = await createTestDatabase();
    const undisturbed = await startIndex(other);
    await undisturbed.sync();
    await undisturbed.end();
    const answers = await answersOf(test);
    expect(answers).toEqual(await answersOf(other));
    expect(answers).not.toEqual(before);
    await other.drop();
    expect(index.running.progress.filter(({ phase }) => phase === "reorganisation").at(-1)?.blocks).toBe(depth);
  });
});
