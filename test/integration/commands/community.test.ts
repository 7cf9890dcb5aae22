import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { renderStatus } from "../../../runtime/commands/community/status.ts";
import { renderResult } from "../../../runtime/commands/community/test.ts";
import { tryProtocol } from "../../../runtime/commands/community/try-protocol.ts";
import { chainConfig, config } from "../../../runtime/config/config.ts";
import { createCommunityQueries } from "../../../runtime/domains/community/queries/status.ts";
import { loadAddedProtocols } from "../../../runtime/protocols.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createSavings, makeDeposits, type SavingsDirectory } from "../domains/community/savings-directory.ts";
import { type CommunityIndex, startCommunityIndex } from "../domains/community/support.ts";
import { startMarket } from "../domains/community/vault-market.ts";

let chain: TestChain;
let directory: SavingsDirectory;
let test: TestDatabase;
let index: CommunityIndex;

beforeAll(async () => {
  chain = await startTestChain();
  const market = await startMarket(chain);
  directory = createSavings(market.vaults);
  test = await createTestDatabase();
  index = await startCommunityIndex(chain, test.database, {
    protocols: loadAddedProtocols(directory.path, {}).map(({ protocol }) => protocol),
  });
  await makeDeposits(chain, market);
  await index.sync();
});
afterEach(() => directory.reset());
afterAll(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
  directory?.remove();
});

const tryDirectory = async () => {
  const [added] = loadAddedProtocols(directory.path, {});
  if (added === undefined) throw new Error("The directory has no protocol.");
  const settings = { ...chainConfig.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
  return tryProtocol(added, { config: config.parse({}), chain: settings, database: test.database });
};

describe("ashlar community test", () => {
  it("runs each operation on the rows of the index", async () => {
    const result = await tryDirectory();
    expect(result).toMatchObject({ protocol: "savings", isIndexed: true });
    expect(result.operations.map(({ operation, problems }) => [operation, problems])).toEqual([
      ["balances", []],
      ["deposits", []],
    ]);
    // Two wallets with 6 deposits each.
    expect(result.operations[1]?.items).toBe(12);
    expect(renderResult(result, "test")[0]).toBe("savings on test, with the rows of the index:");
  });

  it("runs them on empty tables where the index has others, and leaves nothing behind", async () => {
    directory.edit(
      "protocol.yaml",
      "  deposits:\n    contract: vault",
      '  more: { contract: vault, events: ["More(uint256 amount)"] }\n  deposits:\n    contract: vault',
    );
    const before = await test.database.query("SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2");
    const result = await tryDirectory();
    expect(result).toMatchObject({ protocol: "savings", isIndexed: false });
    expect(result.operations.map(({ items, responses, problems }) => [items, responses, problems])).toEqual([
      [0, 1, []],
      [0, 1, []],
    ]);
    expect(await test.database.query("SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2")).toEqual(before);
    expect(await test.database.query("SELECT FROM projection_checkpoints WHERE projection LIKE 'community:test%'")).toEqual([]);
    expect(await test.database.query("SELECT FROM api_keys WHERE label = 'community test'")).toEqual([]);
  });

  it.each([
    [
      "a column of another type",
      "  d.sender,",
      "  d.assets AS sender,",
      "Column sender has the type numeric: expected bytea, text for address",
    ],
    [
      "a statement that cannot be planned",
      "  d.sender,",
      "  d.absent AS sender,",
      "The statement cannot be planned: column d.absent does not exist",
    ],
    [
      "a value that is not of its field's format",
      "  d.sender,",
      "  'me' AS sender,",
      '/data/items/0/sender must match pattern "^0x[0-9a-f]{40}$"',
    ],
    ["null in a field that is never null", "  d.sender,", "  NULL AS sender,", "Column sender of Deposit is null."],
    ["a statement that fails", "  d.sender,", "  (d.assets / 0)::text AS sender,", "division by zero"],
  ])("reports %s", async (_case, text, replacement, problem) => {
    directory.edit("deposits.sql", text, replacement);
    const { operations } = await tryDirectory();
    expect(operations.map(({ operation, problems }) => [operation, problems.map((found) => found.slice(0, problem.length))])).toEqual([
      ["balances", []],
      ["deposits", [problem]],
    ]);
  });
});

describe("ashlar community status", () => {
  it("counts the rows, the skipped logs and the queued reads of each protocol", async () => {
    const statuses = await createCommunityQueries(test.database).statuses();
    const head = await chain.head();
    expect(statuses.flatMap((status) => renderStatus(status, "test"))).toEqual([
      `savings on test: at block ${head}`,
      // Three deposits of two accounts into two vaults, each with a transfer of the shares.
      "  contracts  2 rows",
      "  deposits  12 rows",
      "  share_transfers  12 rows",
      // Read where the vaults were touched, in three blocks; the prices also in the first one.
      expect.stringMatching(/^ {2}asset {2}\d+ rows$/),
      expect.stringMatching(/^ {2}share_price {2}\d+ rows$/),
      "  0 skipped logs, 0 queued reads",
    ]);
  });
});
