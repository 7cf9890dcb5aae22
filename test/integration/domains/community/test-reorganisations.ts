import { afterAll, beforeAll, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createItemsOf, insertTokens, type KnownToken } from "./operations.ts";
import { replaceBlocks } from "./replace-blocks.ts";
import { type CommunityIndex, type CommunityOptions, startCommunityIndex } from "./support.ts";

type Random = ReturnType<typeof createRandom>;

/** The depths of the reorganisations, in blocks. */
const depths = [1, 3, 10, 30] as const;

/** A market on a chain that is reorganised. */
export interface BranchedMarket extends Pick<CommunityOptions, "protocols" | "community" | "projections"> {
  /** The accounts whose responses are compared. */
  readonly wallets: readonly Address[];
  /** Tokens with metadata and prices. */
  readonly tokens?: readonly KnownToken[];
  randomTransaction(random: Random): TestTransaction;
  /** Mines the last blocks before a reorganisation. */
  mineLast?(): Promise<void>;
  /** Transactions that only the new branch contains. */
  readonly branchTransactions?: readonly TestTransaction[];
}

/** The responses of all of a protocol's operations at a height. */
const responsesOf = async (database: Database, protocol: Protocol, wallets: readonly Address[], height: number): Promise<unknown[]> => {
  const itemsOf = createItemsOf(database, protocol);
  const responses: unknown[] = [];
  for (const operation of Object.keys(protocol.operations)) {
    const needsWallet = ["balances", "tokens", "transactions"].includes(operation);
    for (const request of needsWallet ? wallets.map((wallet) => ({ height, wallet })) : [{ height }])
      responses.push({ operation, request, items: await itemsOf(operation, request) });
  }
  return responses;
};

/**
 * Declares tests that replace the last blocks of a market's chain and expect the tables and responses of an index that never indexed the
 * replaced blocks. The named tables must have rows, and some of these rows must change.
 */
export const testReorganisations = (
  seed: string,
  ownTables: readonly string[],
  start: (chain: TestChain) => Promise<BranchedMarket>,
): void => {
  const random = createRandom(`branches of ${seed}`);
  let chain: TestChain;
  let market: BranchedMarket;
  let testDatabase: TestDatabase;
  let index: CommunityIndex;

  const startIndex = async ({ database }: TestDatabase): Promise<CommunityIndex> => {
    // The tokens are inserted before the index starts, because it would queue reads of their metadata if that were missing.
    await insertTokens(database, market.tokens ?? []);
    return startCommunityIndex(chain, database, market);
  };
  const transactions = (count: number): TestTransaction[] => Array.from({ length: count }, () => market.randomTransaction(random));
  const addBlocks = async (count: number): Promise<void> => {
    for (let block = 0; block < count; block += 1) {
      await chain.send(...transactions(random.between(0, 5)));
      await chain.mine();
    }
  };
  const stateOf = async ({ database }: TestDatabase) => {
    const height = await chain.head();
    const responses = [];
    for (const protocol of market.protocols) responses.push(...(await responsesOf(database, protocol, market.wallets, height)));
    return { responses, tables: await dump(database) };
  };
  /** The state of an index that never indexed the replaced blocks. */
  const stateOfFreshIndex = async () => {
    const other = await createTestDatabase();
    const running = await startIndex(other);
    await running.sync();
    await running.end();
    const state = await stateOf(other);
    await other.drop();
    return state;
  };

  beforeAll(async () => {
    chain = await startTestChain();
    market = await start(chain);
    await addBlocks(16);
    testDatabase = await createTestDatabase();
    index = await startIndex(testDatabase);
  });
  afterAll(async () => {
    await index?.end();
    await testDatabase?.drop();
    await chain?.stop();
  });

  it.each(depths)("has the tables and responses of an index that never indexed the %i replaced blocks", async (depth) => {
    await addBlocks(depth + 3);
    await market.mineLast?.();
    await index.sync();
    const before = await stateOf(testDatabase);
    await replaceBlocks(chain, depth, random, [...transactions(10 + depth), ...(market.branchTransactions ?? [])]);
    await addBlocks(1);
    await index.sync();
    const [after, expected] = [await stateOf(testDatabase), await stateOfFreshIndex()];
    for (const [name, rows] of Object.entries(expected.tables)) expect(after.tables[name], name).toEqual(rows);
    expect(after.responses).toEqual(expected.responses);
    for (const name of ownTables) expect(after.tables[name]?.length, name).toBeGreaterThan(2);
    expect(ownTables.map((name) => after.tables[name])).not.toEqual(ownTables.map((name) => before.tables[name]));
    if (after.responses.length > 0) expect(after.responses).not.toEqual(before.responses);
    expect(index.running.progress.filter(({ phase }) => phase === "reorganisation").at(-1)?.blockCount).toBe(depth);
  });
};
