import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { Queryable } from "../../../../runtime/database/database.ts";
import { addBlocks, addTokens, removeAbove } from "../../../support/database/long-lists.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { listsByBlock, openTokens, type ReadRows } from "./lists.ts";

const blockCount = 4_000;
/** The last block before the reorganisation. */
const ancestor = blockCount - 300;
const idCount = 18_000;
/** The number of the first ids, which are minted in the last block. */
const newIdCount = 500;
const pageSize = 500;

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const { database } = testDatabase;
  await addBlocks(database, 1, blockCount);
  await addTokens(database, newIdCount + 1, idCount, 5);
  await addTokens(database, 1, newIdCount, blockCount);
  await database.query("VACUUM ANALYZE", []);
  return testDatabase.drop;
}, 120_000);

/** The integers from `first` down to `last`. */
const down = (first: number, last: number): number[] => Array.from({ length: first - last + 1 }, (_, index) => first - index);
const tokensFrom = (first: number): string[] =>
  Array.from({ length: idCount - first + 1 }, (_, index) => first + index).flatMap((id) =>
    id % 10 === 0 ? [`${id * 10}:2`, `${id * 10}:3`] : [`${id * 10}:2`],
  );

/** The lists, with the rows that addBlocks and addTokens insert. */
const lists = [
  ...listsByBlock.map(({ name, open, rowsOf }) => ({
    name,
    open: (database: Queryable) => open(database, blockCount),
    rows: () => down(blockCount, 1).flatMap((block) => rowsOf(block, down(4, 0))),
    // On the other branch, the blocks have no row with index 0.
    rowsOfBranch: () => down(blockCount, 1).flatMap((block) => rowsOf(block, down(4, block > ancestor ? 1 : 0))),
  })),
  {
    name: "the ids of a collection",
    open: (database: Queryable) => openTokens(database, blockCount),
    rows: () => tokensFrom(1),
    rowsOfBranch: () => tokensFrom(newIdCount + 1),
  },
];

/** Reads the pages with the given numbers, and compares each with the corresponding rows. */
async function readPages(read: ReadRows, rows: readonly string[], numbers: readonly number[], size = pageSize): Promise<void> {
  for (const number of numbers)
    expect(await read(size, number * size), `page ${number}`).toEqual(rows.slice(number * size, (number + 1) * size));
}

describe.each(lists)("$name", ({ open, rows, rowsOfBranch }) => {
  const lastPage = (count: number, size = pageSize): number => Math.ceil(count / size);
  const pagesInOrder = (count: number): number[] => down(lastPage(count), 0).reverse();

  it("have the expected rows on each page, read in order, in reverse and at random", async () => {
    const expected = rows();
    await readPages(open(testDatabase.database), expected, pagesInOrder(expected.length));
    await readPages(open(testDatabase.database), expected, down(lastPage(expected.length), 0));
    const random = createRandom("deep pages");
    const read = open(testDatabase.database);
    // Pages of 7 rows, most of which do not start at a remembered position.
    await readPages(
      read,
      expected,
      Array.from({ length: 40 }, () => random.between(0, lastPage(expected.length, 7))),
      7,
    );
    expect(await read(100, 1_000_000)).toEqual([]);
  }, 120_000);

  it("are read to the end by concurrent requests", async () => {
    const expected = rows();
    const read = open(testDatabase.database);
    const pages = await Promise.all(pagesInOrder(expected.length).map((number) => read(pageSize, number * pageSize)));
    expect(pages.flat()).toEqual(expected);
  }, 60_000);

  it("follow the current branch after a reorganisation", async () => {
    const { database } = testDatabase;
    const [expected, expectedOfBranch] = [rows(), rowsOfBranch()];
    const read = open(database);
    await readPages(read, expected, pagesInOrder(expected.length));
    await removeAbove(database, ancestor);
    await addBlocks(database, ancestor + 1, blockCount, 1);
    await database.query("DELETE FROM logs WHERE block_number > $1 AND log_index = 0", [ancestor]);
    await database.query("DELETE FROM transfers WHERE block_number > $1 AND transaction_index = 0", [ancestor]);
    await database.query("DELETE FROM pool_action_accounts WHERE block_number > $1 AND log_index = 0", [ancestor]);
    // The pages after the end of the shorter list are read first.
    await readPages(read, expectedOfBranch, down(lastPage(expected.length), 0));
    // Restores the first branch.
    await removeAbove(database, ancestor);
    await addBlocks(database, ancestor + 1, blockCount);
    await addTokens(database, 1, newIdCount, blockCount);
    await readPages(read, expected, pagesInOrder(expected.length));
  }, 120_000);
});
