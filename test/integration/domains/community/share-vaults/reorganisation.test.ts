import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf } from "../operations.ts";
import { replaceBlocks } from "../replace-blocks.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { type ShareMarket, startShareMarket } from "./market.ts";

const protocols = ["protocol_09", "protocol_10"].map(builtInProtocol);
const random = createRandom("branches of share vaults");
let chain: TestChain;
let market: ShareMarket;
let test: TestDatabase;
let index: CommunityIndex;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startShareMarket(chain);
  test = await createTestDatabase();
  index = await startCommunityIndex(chain, test.database, { protocols, community: market.community });
});
afterAll(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
});

/** All answers of both protocols as of a height. */
const answersAt = async (database: TestDatabase["database"], height: number) => {
  const answers: unknown[] = [];
  for (const protocol of protocols) {
    const itemsOf = createItemsOf(database, protocol);
    answers.push(await itemsOf("market_data", { height }));
    for (const wallet of [...market.ground.people, market.ground.collector])
      answers.push(await itemsOf("balances", { height, wallet }), await itemsOf("transactions", { height, wallet }));
  }
  return answers;
};

describe("answers of protocols 09 and 10 after a reorganisation", () => {
  it.each([1, 3, 10, 30])("of %i blocks equal those of an undisturbed index", async (depth) => {
    for (let block = 0; block < depth + 3; block += 1) {
      await chain.send(...Array.from({ length: random.between(1, 4) }, () => market.randomTransaction(random)));
      await chain.mine();
    }
    await index.sync();
    const before = await answersAt(test.database, await chain.head());
    await replaceBlocks(
      chain,
      depth,
      random,
      Array.from({ length: 10 }, () => market.randomTransaction(random)),
    );
    await index.sync();
    const height = await chain.head();
    const answers = await answersAt(test.database, height);
    const other = await createTestDatabase();
    const undisturbed = await startCommunityIndex(chain, other.database, { protocols, community: market.community });
    await undisturbed.sync();
    expect(answers).toEqual(await answersAt(other.database, height));
    await undisturbed.end();
    await other.drop();
    expect(answers).not.toEqual(before);
    expect(index.running.progress.filter(({ phase }) => phase === "reorganisation").at(-1)?.blocks).toBe(depth);
  });
});
