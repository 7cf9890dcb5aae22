import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { renderStatus } from "../../../runtime/commands/community/status.ts";
import { renderResult } from "../../../runtime/commands/community/test.ts";
import { openReader } from "../../../runtime/commands/open-reader.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { lendingColumns } from "../../../runtime/declarations/lending-columns.ts";
import { createProtocolStatusQueries } from "../../../runtime/domains/community/queries/status.ts";
import { type IndexedSavings, indexSavings } from "./indexed-savings.ts";

let savings: IndexedSavings;

beforeAll(async () => {
  savings = await indexSavings();
});
afterEach(() => savings.directory.reset());
afterAll(() => savings?.end());

describe("ashlar community test", () => {
  it("runs each operation on the rows of the index", async () => {
    const result = await savings.tryDirectory();
    expect(result).toMatchObject({ protocol: "savings", filled: null, ranAsReader: true });
    expect(result.operations.map(({ operation, problems }) => [operation, problems])).toEqual([
      ["balances", []],
      ["deposits", []],
    ]);
    // Two wallets with 6 deposits each.
    expect(result.operations[1]?.itemCount).toBe(12);
    expect(renderResult(result, "test")[0]).toBe("savings on test, with the rows of the index:");
  });

  it("runs operations on the stored logs if the index's tables differ, and leaves nothing behind", async () => {
    savings.directory.edit(
      "protocol.yaml",
      "  deposits:\n    contract: vault",
      '  more: { contract: vault, events: ["More(uint256 amount)"] }\n  deposits:\n    contract: vault',
    );
    const before = await savings.testDatabase.database.query(
      "SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2",
    );
    const result = await savings.tryDirectory();
    // Each of the 12 deposits has two logs: Deposit, and the shares' Transfer.
    const reason =
      "its tables, columns, indexes or reads differ from those in the index; restart Ashlar with communityDirectory to index the protocol";
    const filled = { reason, logCount: 24, hasMore: false };
    expect(result).toMatchObject({ protocol: "savings", ranAsReader: true, filled });
    expect(result.operations.map(({ operation, itemCount, problems }) => [operation, itemCount, problems])).toEqual([
      // Two wallets with shares in two vaults.
      ["balances", 4, []],
      ["deposits", 12, []],
    ]);
    expect(renderResult(result, "test")[0]).toBe(
      `savings on test, with the rows of 24 stored logs but no read results, because ${filled.reason}:`,
    );
    expect(
      await savings.testDatabase.database.query("SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2"),
    ).toEqual(before);
    expect(await savings.testDatabase.database.query("SELECT FROM projection_checkpoints WHERE projection LIKE 'community:test%'")).toEqual(
      [],
    );
    expect(await savings.testDatabase.database.query("SELECT FROM api_keys WHERE label = 'community test'")).toEqual([]);
  });

  it.each([
    [
      "a signature",
      'uint256 assets, uint256 shares)"]\n    indexes: [[owner]]',
      'uint256 assets, uint128 shares)"]\n    indexes: [[owner]]',
      "its events, contracts, calls or version differ from those in the index; restart Ashlar with communityDirectory to index the protocol",
      // The share transfers.
      12,
    ],
    ["the network", "      test:", "      eth-mainnet:", "it has no contracts on test, only on eth-mainnet", 0],
    [
      "the version",
      "version: 1",
      "version: 2",
      "its events, contracts, calls or version differ from those in the index; restart Ashlar with communityDirectory to index the protocol",
      24,
    ],
  ])("does not use the index's rows if the declaration has changed: %s", async (_case, text, replacement, reason, logCount) => {
    savings.directory.edit("protocol.yaml", text, replacement);
    const result = await savings.tryDirectory();
    expect(result.filled).toEqual({ reason, logCount, hasMore: false });
    expect(result.operations[1]?.itemCount).toBe(logCount === 24 ? 12 : 0);
  });

  it("runs the SQL with the reader role's privileges, on the index's tables and on temporary ones", async () => {
    await savings.testDatabase.database.query(`REVOKE SELECT ON api.transactions FROM ${savings.reader.readerRole}`);
    try {
      for (const version of [1, 2]) {
        savings.directory.edit("protocol.yaml", "version: 1", `version: ${version}`);
        const { operations, ranAsReader } = await savings.tryDirectory();
        expect(ranAsReader).toBe(true);
        expect(operations.map(({ problems }) => problems)).toEqual([
          [],
          [
            `${savings.positionOf("deposits.sql", "SELECT")} unplannable-sql: Invalid statement: permission denied for view transactions, expected a statement that PostgreSQL can plan`,
          ],
        ]);
      }
    } finally {
      await savings.testDatabase.database.query(`GRANT SELECT ON api.transactions TO ${savings.reader.readerRole}`);
    }
  });

  it.each([
    [
      "a column of another type",
      "  d.sender,",
      "  d.assets AS sender,",
      'column-type: Invalid type of column "sender": found numeric, expected bytea, text for address',
      "d.assets AS sender",
    ],
    [
      "a statement that cannot be planned",
      "  d.sender,",
      "  d.absent AS sender,",
      'unplannable-sql: Invalid statement: column d.absent does not exist (Perhaps you meant to reference the column "d.assets"), expected a statement that PostgreSQL can plan',
      "d.absent",
    ],
    [
      "a statement that cannot be planned, after a table and a parameter in the same line",
      "FROM deposits d\n",
      "FROM deposits d JOIN share_transfers s ON 'é' <> '' AND s.chain_id = :chain AND s.absent = d.assets\n",
      "unplannable-sql: Invalid statement: column s.absent does not exist, expected a statement that PostgreSQL can plan",
      "s.absent",
    ],
    [
      "a value that does not have its field's format",
      "  d.sender,",
      "  'me' AS sender,",
      '/data/items/0/sender must match pattern "^0x[0-9a-f]{40}$"',
    ],
    ["null in a field that is never null", "  d.sender,", "  NULL AS sender,", "Column sender of Deposit is null."],
    ["a statement that fails", "  d.sender,", "  (d.assets / 0)::text AS sender,", "deposits of savings, deposits.sql: division by zero"],
  ])("reports %s", async (_case, text, replacement, problem, location?: string) => {
    savings.directory.edit("deposits.sql", text, replacement);
    const { operations } = await savings.tryDirectory();
    const expected = location === undefined ? problem : `${savings.positionOf("deposits.sql", location)} ${problem}`;
    expect(operations.map(({ operation, problems }) => [operation, problems.map((found) => found.slice(0, expected.length))])).toEqual([
      ["balances", []],
      ["deposits", [expected]],
    ]);
  });
});

describe("lending event SQL", () => {
  afterEach(() => rmSync(join(savings.directory.path, "savings/lending.sql"), { force: true }));

  /** Declares the deposits as lending events, with SQL instead of NULL for some columns. */
  const tryLending = async (replaced: Readonly<Record<string, string>> = {}, declaration = "") => {
    const values: Readonly<Record<string, string>> = { log_offset: "d.log_index", event: "'Deposit'", user: "d.sender", ...replaced };
    const columns = lendingColumns.map((name) => `${values[name] ?? "NULL"} AS "${name}"`);
    savings.directory.edit("protocol.yaml", "reads:\n", `${declaration}lending: { sql: lending.sql, label: Savings }\nreads:\n`);
    savings.directory.write(
      "lending.sql",
      `SELECT ${columns.join(", ")} FROM deposits d\nWHERE d.chain_id = :chain AND d.block_number = :block AND d.transaction_index = :transaction_index`,
    );
    return savings.tryDirectory();
  };

  it("runs for the newest transactions in each table", async () => {
    const result = await tryLending();
    // The newest three deposits; the newest three transfers are in the same transactions.
    expect(result.lending).toEqual({ eventCount: 3, transactionCount: 3, problems: [] });
    expect(renderResult(result, "test").at(-1)).toBe("  ok      lending: 3 events in 3 transactions");
  });

  it("runs on the stored logs if the index's tables differ", async () => {
    const more = '  more: { contract: vault, events: ["More(uint256 amount)"] }\n';
    expect(await tryLending({}, more)).toMatchObject({
      filled: { logCount: 24 },
      lending: { eventCount: 3, transactionCount: 3, problems: [] },
    });
  });

  it.each([
    [
      "a column that does not exist",
      { event: "d.lendr::text" },
      'unplannable-sql: Invalid statement: column d.lendr does not exist (Perhaps you meant to reference the column "d.sender"), expected a statement that PostgreSQL can plan',
      "d.lendr",
    ],
    [
      "a column of another type",
      { user: "d.assets" },
      'column-type: Invalid type of column "user": found numeric, expected bytea, text for address',
      "d.assets",
    ],
    ["an event without a name", { event: "NULL" }, "Column event of a lending row is null."],
    ["a statement that fails", { token_amount_in: "d.assets / 0" }, "division by zero"],
  ])("reports %s", async (_case, replaced, problem, location?: string) => {
    const result = await tryLending(replaced);
    const expected = location === undefined ? problem : `${savings.positionOf("lending.sql", location)} ${problem}`;
    expect(result.lending?.problems).toEqual([expected]);
    expect(renderResult(result, "test").at(-1)).toBe(`  failed  lending: ${expected}`);
  });
});

describe("a statement that takes too long", () => {
  it("fails after the timeout for request statements", async () => {
    // With 12 deposits, there are 12 ** 9 combinations.
    const tables = [..."abcdefgh"].map((name) => `deposits ${name}`).join(", ");
    savings.directory.edit("deposits.sql", "  d.assets,", `  d.assets + (SELECT count(*) FROM ${tables}) AS assets,`);
    const limits = { statementMilliseconds: 300 };
    const limited = await openReader(
      configSchema.parse({ databaseUrl: savings.testDatabase.url, limits }),
      { url: savings.testDatabase.url },
      savings.testDatabase.database,
      1,
    );
    const { operations } = await savings.tryDirectory({ limits }, limited).finally(() => limited.reader.close());
    expect(operations[1]?.problems).toEqual(["deposits of savings, deposits.sql: canceling statement due to statement timeout"]);
  });
});

describe("ashlar community status", () => {
  it("counts the rows, the skipped logs and the queued reads of each protocol", async () => {
    const statuses = await createProtocolStatusQueries(savings.testDatabase.database).statuses();
    const head = await savings.chain.head();
    expect(statuses.flatMap((status) => renderStatus(status, "test"))).toEqual([
      `savings on test: at block ${head}`,
      // Three deposits by two accounts into two vaults, each with a share transfer.
      "  contracts  2 rows",
      "  deposits  12 rows",
      "  share_transfers  12 rows",
      // Vaults are read in the three blocks that touched them; share prices also in the first block.
      expect.stringMatching(/^ {2}asset {2}\d+ rows$/),
      expect.stringMatching(/^ {2}share_price {2}\d+ rows$/),
      "  0 skipped logs, 0 queued reads",
    ]);
  });
});
