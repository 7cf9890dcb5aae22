import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import type { Hex } from "../../../../../runtime/lib/hex.ts";
import type { TestTransaction } from "../../../../support/chain.ts";
import { dump } from "../../../../support/contents.ts";
import { createTestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf } from "../operations.ts";
import { startCommunityIndex } from "../support.ts";
import { configurationOf, type IndexedLending, insertMetadata, startIndexedLending } from "./story.ts";

const protocol = builtInProtocol("protocol_01");
const random = createRandom("branches of lending pools");

let lending: IndexedLending;

beforeAll(async () => {
  lending = await startIndexedLending(protocol, "replaced lending");
});
afterAll(() => lending?.end());

const actions = (count: number): TestTransaction[] => Array.from({ length: count }, () => lending.market.randomTransaction(random));

/** Replaces the last blocks with as many others, which have other actions. */
const branch = async (depth: number): Promise<void> => {
  const { chain } = lending;
  const toRpc = (transaction: TestTransaction) => [
    { from: chain.accounts[0], gas: "0x4c4b40" as Hex, ...transaction },
    random.between(0, depth - 1),
  ];
  await chain.rpc("anvil_reorg", [depth, actions(12).map(toRpc)]);
  await chain.send(...actions(3));
  await chain.mine();
};

describe("protocol 01 after a reorganisation", () => {
  it.each([1, 3, 10, 30])("of %i blocks equals an undisturbed index", async (depth) => {
    const { chain, market, test, index } = lending;
    for (let block = 0; block < depth; block += 1) {
      await chain.send(...actions(random.between(0, 4)));
      await chain.mine();
    }
    await index.sync();
    const before = await dump(test.database);
    await branch(depth);
    await index.sync();
    const other = await createTestDatabase();
    const undisturbed = await startCommunityIndex(chain, other.database, { protocols: [protocol], community: configurationOf(market) });
    await undisturbed.sync();
    await undisturbed.end();
    await insertMetadata(other.database, market);
    const [rows, expected] = [await dump(test.database), await dump(other.database)];
    const own = Object.keys(expected).filter((table) => table.startsWith("cq_"));
    for (const table of own) expect(rows[table], table).toEqual(expected[table]);
    expect(rows.cq_protocol_01_reserve_updates).not.toEqual(before.cq_protocol_01_reserve_updates);
    const height = await chain.head();
    for (const wallet of market.people) {
      for (const operation of ["market_data", "balances", "transactions"])
        expect(await createItemsOf(test.database, protocol)(operation, { wallet, height })).toEqual(
          await createItemsOf(other.database, protocol)(operation, { wallet, height }),
        );
    }
    await other.drop();
    expect(index.running.progress.filter(({ phase }) => phase === "reorganisation").at(-1)?.blocks).toBe(depth);
  });
});
