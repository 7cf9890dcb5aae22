import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { renderStatus } from "../../../runtime/commands/community/status.ts";
import { renderResult } from "../../../runtime/commands/community/test.ts";
import { tryProtocol } from "../../../runtime/commands/community/try-protocol.ts";
import { chainConfig, config } from "../../../runtime/config/config.ts";
import { lendingColumns } from "../../../runtime/declarations/lending-columns.ts";
import { createCommunityQueries } from "../../../runtime/domains/community/queries/status.ts";
import { loadAddedProtocols, loadProtocols } from "../../../runtime/protocols.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createSavings, makeDeposits, type SavingsDirectory } from "../domains/community/savings-directory.ts";
import { type CommunityIndex, startCommunityIndex } from "../domains/community/support.ts";
import { startMarket } from "../domains/community/vault-market.ts";

const emptyAddress = `0x${"11".repeat(20)}`;

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

const tryDirectory = async (settingsOfServer: object = {}) => {
  const [added] = loadAddedProtocols(directory.path, {});
  if (added === undefined) throw new Error("The directory has no protocol.");
  const settings = { ...chainConfig.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
  return tryProtocol(added, { config: config.parse(settingsOfServer), chain: settings, database: test.database });
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
    ["a statement that fails", "  d.sender,", "  (d.assets / 0)::text AS sender,", "deposits of savings, deposits.sql: division by zero"],
  ])("reports %s", async (_case, text, replacement, problem) => {
    directory.edit("deposits.sql", text, replacement);
    const { operations } = await tryDirectory();
    expect(operations.map(({ operation, problems }) => [operation, problems.map((found) => found.slice(0, problem.length))])).toEqual([
      ["balances", []],
      ["deposits", [problem]],
    ]);
  });
});

describe("the SQL of lending events", () => {
  afterEach(() => rmSync(join(directory.path, "savings/lending.sql"), { force: true }));

  /** Declares the deposits as lending events, with SQL in place of some of the columns. */
  const tryLending = async (replaced: Readonly<Record<string, string>> = {}, declaration = "") => {
    const values: Readonly<Record<string, string>> = { log_offset: "d.log_index", event: "'Deposit'", user: "d.sender", ...replaced };
    const columns = lendingColumns.map((name) => `${values[name] ?? "NULL"} AS "${name}"`);
    directory.edit("protocol.yaml", "reads:\n", `${declaration}lending: { sql: lending.sql, label: Savings }\nreads:\n`);
    directory.write(
      "lending.sql",
      `SELECT ${columns.join(", ")} FROM deposits d\nWHERE d.chain_id = :chain AND d.block_number = :block AND d.transaction_index = :transaction_index`,
    );
    return tryDirectory();
  };

  it("is run for the newest transactions of each table", async () => {
    const result = await tryLending();
    // The newest three deposits; the newest three transfers are of the same transactions.
    expect(result.lending).toEqual({ events: 3, transactions: 3, problems: [] });
    expect(renderResult(result, "test").at(-1)).toBe("  ok      lending: 3 events in 3 transactions");
  });

  it("is run on empty tables where the index has others", async () => {
    const more = '  more: { contract: vault, events: ["More(uint256 amount)"] }\n';
    expect(await tryLending({}, more)).toMatchObject({ isIndexed: false, lending: { events: 0, transactions: 0, problems: [] } });
  });

  it.each([
    ["a column that does not exist", { event: "d.lendr::text" }, "The statement cannot be planned: column d.lendr does not exist"],
    ["a column of another type", { user: "d.assets" }, "Column user has the type numeric: expected bytea, text for address"],
    ["an event without a name", { event: "NULL" }, "Column event of lending is null."],
    ["a statement that fails", { token_amount_in: "d.assets / 0" }, "division by zero"],
  ])("reports %s", async (_case, replaced, problem) => {
    const result = await tryLending(replaced);
    expect(result.lending?.problems).toEqual([problem]);
    expect(renderResult(result, "test").at(-1)).toBe(`  failed  lending: ${problem}`);
  });
});

describe("a statement that takes too long", () => {
  it("fails after the time that statements of requests may take", async () => {
    // 12 deposits: 12 ** 9 combinations.
    const tables = [..."abcdefgh"].map((name) => `deposits ${name}`).join(", ");
    directory.edit("deposits.sql", "  d.assets,", `  d.assets + (SELECT count(*) FROM ${tables}) AS assets,`);
    const { operations } = await tryDirectory({ limits: { statementMilliseconds: 300 } });
    expect(operations[1]?.problems).toEqual(["deposits of savings, deposits.sql: canceling statement due to statement timeout"]);
  });
});

describe("a faulty directory", () => {
  const messageOf = (load: () => unknown): string => {
    try {
      load();
      return "";
    } catch (error) {
      expect(error).toMatchObject({ name: "ConfigError" });
      return (error as Error).message.replaceAll(directory.path, "endpoints");
    }
  };

  it("is refused with all diagnostics, and what to do", () => {
    directory.edit("protocol.yaml", "type: hash", "type: hsh");
    expect(messageOf(() => loadProtocols(config.parse({ communityDirectory: directory.path }))).split("\n")).toEqual([
      expect.stringMatching(/^endpoints\/savings\/protocol\.yaml:\d+:\d+ unknown-type: Unknown type "hsh": /),
      "1 problem in endpoints: correct the files, or remove communityDirectory from the configuration.",
    ]);
    expect(messageOf(() => loadAddedProtocols(`${directory.path}/absent`, {}))).toBe(
      "Cannot read endpoints/absent of communityDirectory: no such file; set it to a directory with a folder per protocol, relative to the configuration file, or remove it.",
    );
  });

  it("is refused if a file is no text file of less than a megabyte", () => {
    directory.write("more.sql", " ".repeat(1_048_577));
    expect(messageOf(() => loadAddedProtocols(directory.path, {}))).toBe(
      "endpoints/savings/more.sql: Oversized file: found 1048577 bytes, expected at most 1048576.",
    );
    rmSync(join(directory.path, "savings/more.sql"));
    mkdirSync(join(directory.path, "savings/more.sql"));
    expect(messageOf(() => loadAddedProtocols(directory.path, {}))).toBe(
      "endpoints/savings/more.sql: Invalid file: found a folder, pipe or device, expected a text file.",
    );
    rmSync(join(directory.path, "savings/more.sql"), { recursive: true });
  });

  it("may have links to folders", () => {
    const links = mkdtempSync(join(tmpdir(), "ashlar-links-"));
    symlinkSync(join(directory.path, "savings"), join(links, "savings"));
    symlinkSync(join(directory.path, "absent"), join(links, "absent"));
    expect(loadAddedProtocols(links, {}).map(({ protocol }) => protocol.id)).toEqual(["savings"]);
    rmSync(links, { recursive: true });
  });

  it("is refused if an operator's name of a built-in protocol is the id of an added one", () => {
    const names = { protocol_06: "savings" };
    expect(messageOf(() => loadAddedProtocols(directory.path, names))).toContain(
      'taken-name: Taken name "savings": it is the id or the name of the built-in protocol protocol_06, by the setting protocols',
    );
  });

  it("adds contracts of a chain to an added protocol, and refuses unknown kinds", () => {
    const chains = (kind: string) => [{ name: "test", id: 31337, community: { savings: { [kind]: [emptyAddress] } } }];
    const load = (kind: string) => () => loadProtocols(config.parse({ communityDirectory: directory.path, chains: chains(kind) }));
    expect(messageOf(load("vault"))).toBe("");
    expect(messageOf(load("vaults"))).toContain(
      "Unknown contract vaults of protocol savings in the setting community of chain test: did you mean vault?",
    );
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
