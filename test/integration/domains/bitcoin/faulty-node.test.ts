import { afterEach, describe, expect, it } from "vitest";
import { createBitcoinChain } from "../../../../demo/bitcoin/chain.ts";
import { NumberText } from "../../../../demo/bitcoin/json.ts";
import { createRandom, type Random } from "../../../../demo/story/random.ts";
import { startBitcoinNode, type TestBitcoinNode } from "../../../support/bitcoin/node.ts";
import { createStory } from "../../../support/bitcoin/story.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { compareWithLedger } from "./ledger.ts";
import { chainSettings, indexAll, serveBitcoin, startIndex } from "./support.ts";

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const storyWithNode = async (seed: string, version: number) => {
  const random = createRandom(seed);
  const story = createStory(createBitcoinChain(), random, 2);
  for (let count = 0; count < 40; count += 1) story.mine();
  const node = await startBitcoinNode(story.chain, { version });
  cleanUps.push(node.stop);
  const testDatabase = await createTestDatabase();
  cleanUps.push(testDatabase.drop);
  return { random, story, node, testDatabase };
};

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === "object" && value !== null && !(value instanceof NumberText);

/** A value and all objects nested in it. */
const objectsIn = (value: unknown): Fields[] => (isFields(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : []);

/** Amounts with floating-point rounding errors, other wrong values, and the same amount in other formats. */
const amounts = (exact: NumberText): readonly unknown[] => {
  const satoshi = BigInt(exact.text.replace(".", ""));
  return [
    new NumberText("0.30000000000000004"),
    new NumberText(`${exact.text}00000004`),
    new NumberText(`${exact.text}0`),
    new NumberText(`-${exact.text}`),
    new NumberText("1e-9"),
    new NumberText("1e300"),
    new NumberText(`${satoshi}e-8`),
    new NumberText(`${satoshi}E-08`),
    null,
    "many",
    {},
    [],
  ];
};

/** Removes a random field of a result, or replaces a random amount. */
const damage = (result: unknown, random: Random): void => {
  const objects = objectsIn(result).filter((fields) => !Array.isArray(fields) && Object.keys(fields).length > 0);
  if (objects.length === 0) return;
  const fields = random.pick(objects);
  const name = random.pick(Object.keys(fields));
  const values = Object.values(fields).filter((value) => value instanceof NumberText);
  if (values.length > 0 && random.oneIn(2)) {
    const amount = random.pick(Object.keys(fields).filter((key) => fields[key] instanceof NumberText));
    fields[amount] = random.pick(amounts(fields[amount] as NumberText));
  } else if (name !== "generated") delete fields[name];
};

/** Serves the index of a faulty node and compares it with the ledger. Returns the number of entries compared. */
const compare = async (story: Parameters<typeof compareWithLedger>[1], node: TestBitcoinNode, { database }: TestDatabase) => {
  const server = await serveBitcoin(database, chainSettings(node.url));
  try {
    return await compareWithLedger(server, story);
  } finally {
    await server.stop();
  }
};

describe("a node that omits fields and returns wrong amounts", () => {
  it.each([220_000, 280_000])("never causes a wrong amount (version %i)", async (version) => {
    const { random, story, node, testDatabase } = await storyWithNode("faulty node", version);
    let damaged = 0;
    node.tamper = (_method, result) => {
      if (!random.oneIn(30)) return result;
      damaged += 1;
      damage(result, random);
      return result;
    };
    await indexAll(node, testDatabase.database);
    expect(damaged).toBeGreaterThan(2);
    expect(await compare(story, node, testDatabase)).toBeGreaterThan(60);
  });

  it("stops the index below a block whose amounts are wrong in each response, until they are correct", async () => {
    const { story, node, testDatabase } = await storyWithNode("wrong each time", 280_000);
    const wrong = new NumberText("0.30000000000000004");
    let wrongResponses = 0;
    node.tamper = (method, result) => {
      if (method !== "getblock" || !isFields(result) || result.height !== 20) return result;
      wrongResponses += 1;
      const [coinbase] = objectsIn(result.tx).filter(({ value }) => value instanceof NumberText);
      if (coinbase !== undefined) coinbase.value = wrong;
      return result;
    };
    const index = startIndex(node, testDatabase.database, { from: 15 });
    await expect.poll(() => wrongResponses, { timeout: 30_000 }).toBeGreaterThan(3);
    expect(await testDatabase.database.query("SELECT number FROM bitcoin_blocks WHERE number >= 20")).toEqual([]);
    node.tamper = (_method, result) => result;
    await index.sync();
    await index.stop();
    const server = await serveBitcoin(testDatabase.database, chainSettings(node.url));
    cleanUps.push(server.stop);
    await compareWithLedger(server, story, (entries) => entries.filter(({ height }) => height >= 15));
  });

  it("stops the index below a block whose fee contradicts the amounts", async () => {
    const { story, node, testDatabase } = await storyWithNode("contradiction", 280_000);
    const height = story.chain.blocks.findIndex(({ transactions }) => transactions.length > 1);
    let wrongResponses = 0;
    node.tamper = (method, result) => {
      if (method !== "getblock" || !isFields(result) || result.height !== height) return result;
      wrongResponses += 1;
      const spending = (result.tx as Fields[])[1];
      if (spending !== undefined) spending.fee = new NumberText("0.12345678");
      return result;
    };
    const index = startIndex(node, testDatabase.database);
    await expect.poll(() => wrongResponses, { timeout: 30_000 }).toBeGreaterThan(2);
    expect(await testDatabase.database.query("SELECT FROM bitcoin_blocks WHERE number >= $1", [height])).toEqual([]);
    await index.stop();
  });
});
