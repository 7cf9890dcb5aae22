import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { renderLogs } from "../../../runtime/commands/community/render-logs.ts";
import { renderStatus } from "../../../runtime/commands/community/status.ts";
import { renderResult } from "../../../runtime/commands/community/test.ts";
import { tryProtocol } from "../../../runtime/commands/community/try-protocol.ts";
import type { LongRunning } from "../../../runtime/commands/open-database.ts";
import { type OpenReader, openReader } from "../../../runtime/commands/open-reader.ts";
import { openService } from "../../../runtime/commands/open-service.ts";
import { chainConfig, config } from "../../../runtime/config/config.ts";
import type { AddedProtocol } from "../../../runtime/declarations/added-protocol.ts";
import { lendingColumns } from "../../../runtime/declarations/lending-columns.ts";
import { fixedContracts } from "../../../runtime/domains/community/contracts-on-chain.ts";
import { protocolLogs } from "../../../runtime/domains/community/queries/emitted-logs.ts";
import { createCommunityQueries } from "../../../runtime/domains/community/queries/status.ts";
import { loadAddedProtocols, loadProtocols } from "../../../runtime/protocols.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { eventOf, tableOf } from "../../support/declared-protocol.ts";
import { createSavings, makeDeposits, type SavingsDirectory } from "../domains/community/savings-directory.ts";
import { type CommunityIndex, startCommunityIndex } from "../domains/community/support.ts";
import { startMarket } from "../domains/community/vault-market.ts";

const emptyAddress = `0x${"11".repeat(20)}`;

let chain: TestChain;
let directory: SavingsDirectory;
let test: TestDatabase;
let index: CommunityIndex;
let reader: OpenReader;

beforeAll(async () => {
  chain = await startTestChain();
  const market = await startMarket(chain);
  directory = createSavings(market.vaults);
  test = await createTestDatabase();
  reader = await openReader(config.parse({ databaseUrl: test.url }), { url: test.url }, test.database);
  index = await startCommunityIndex(chain, test.database, {
    protocols: loadAddedProtocols(directory.path, {}).map(({ protocol }) => protocol),
    readerRole: reader.readerRole,
  });
  await makeDeposits(chain, market);
  await index.sync();
});
afterEach(() => directory.reset());
afterAll(async () => {
  await index?.end();
  await reader?.reader.close();
  await test?.drop();
  await chain?.stop();
  directory?.remove();
});

const addedProtocol = (): AddedProtocol => {
  const [added] = loadAddedProtocols(directory.path, {});
  if (added === undefined) throw new Error("The directory has no protocol.");
  return added;
};

const tryDirectory = async (settingsOfServer: object = {}, opened = reader) => {
  const settings = { ...chainConfig.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
  return tryProtocol(addedProtocol(), { config: config.parse(settingsOfServer), chain: settings, database: test.database, reader: opened });
};

/** The line and column of a text in a file of the protocol, as diagnostics render them. */
const positionOf = (file: string, text: string): string => {
  const path = join(directory.path, "savings", file);
  const before = readFileSync(path, "utf8").split(text)[0] ?? "";
  return `${path}:${before.split("\n").length}:${(before.split("\n").at(-1) ?? "").length + 1}`;
};

describe("ashlar community test", () => {
  it("runs each operation on the rows of the index", async () => {
    const result = await tryDirectory();
    expect(result).toMatchObject({ protocol: "savings", filled: null, isReader: true });
    expect(result.operations.map(({ operation, problems }) => [operation, problems])).toEqual([
      ["balances", []],
      ["deposits", []],
    ]);
    // Two wallets with 6 deposits each.
    expect(result.operations[1]?.items).toBe(12);
    expect(renderResult(result, "test")[0]).toBe("savings on test, with the rows of the index:");
  });

  it("runs them on the stored logs where the index has other tables, and leaves nothing behind", async () => {
    directory.edit(
      "protocol.yaml",
      "  deposits:\n    contract: vault",
      '  more: { contract: vault, events: ["More(uint256 amount)"] }\n  deposits:\n    contract: vault',
    );
    const before = await test.database.query("SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2");
    const result = await tryDirectory();
    // Each of the 12 deposits is two logs: Deposit, and the Transfer of the shares.
    const filled = { reason: "its tables, columns, indexes or reads are not those of the index", logs: 24, hasMore: false };
    expect(result).toMatchObject({ protocol: "savings", isReader: true, filled });
    expect(result.operations.map(({ operation, items, problems }) => [operation, items, problems])).toEqual([
      // Two wallets with shares of two vaults.
      ["balances", 4, []],
      ["deposits", 12, []],
    ]);
    expect(renderResult(result, "test")[0]).toBe(
      `savings on test, with the rows of 24 stored logs and without results of reads, because ${filled.reason}; restart Ashlar with communityDirectory to index it:`,
    );
    expect(await test.database.query("SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2")).toEqual(before);
    expect(await test.database.query("SELECT FROM projection_checkpoints WHERE projection LIKE 'community:test%'")).toEqual([]);
    expect(await test.database.query("SELECT FROM api_keys WHERE label = 'community test'")).toEqual([]);
  });

  it.each([
    [
      "a signature",
      'uint256 assets, uint256 shares)"]\n    indexes: [[owner]]',
      'uint256 assets, uint128 shares)"]\n    indexes: [[owner]]',
      "its events, contracts, calls or version are not those of the index",
      // The transfers of shares.
      12,
    ],
    ["the network", "      test:", "      eth-mainnet:", "it has no contracts on test, but on eth-mainnet", 0],
    ["the version", "version: 1", "version: 2", "its events, contracts, calls or version are not those of the index", 24],
  ])("does not use the rows of the index if the declaration has changed: %s", async (_case, text, replacement, reason, logs) => {
    directory.edit("protocol.yaml", text, replacement);
    const result = await tryDirectory();
    expect(result.filled).toEqual({ reason, logs, hasMore: false });
    expect(result.operations[1]?.items).toBe(logs === 24 ? 12 : 0);
  });

  it("runs the SQL with the rights of the reader role, on the tables of the index and on others", async () => {
    await test.database.query(`REVOKE SELECT ON api.transactions FROM ${reader.readerRole}`);
    try {
      for (const version of [1, 2]) {
        directory.edit("protocol.yaml", "version: 1", `version: ${version}`);
        const { operations, isReader } = await tryDirectory();
        expect(isReader).toBe(true);
        expect(operations.map(({ problems }) => problems)).toEqual([
          [],
          [
            `${positionOf("deposits.sql", "SELECT")} unplannable-sql: Invalid statement: permission denied for view transactions, expected a statement that PostgreSQL can plan`,
          ],
        ]);
      }
    } finally {
      await test.database.query(`GRANT SELECT ON api.transactions TO ${reader.readerRole}`);
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
      "a value that is not of its field's format",
      "  d.sender,",
      "  'me' AS sender,",
      '/data/items/0/sender must match pattern "^0x[0-9a-f]{40}$"',
    ],
    ["null in a field that is never null", "  d.sender,", "  NULL AS sender,", "Column sender of Deposit is null."],
    ["a statement that fails", "  d.sender,", "  (d.assets / 0)::text AS sender,", "deposits of savings, deposits.sql: division by zero"],
  ])("reports %s", async (_case, text, replacement, problem, place?: string) => {
    directory.edit("deposits.sql", text, replacement);
    const { operations } = await tryDirectory();
    const expected = place === undefined ? problem : `${positionOf("deposits.sql", place)} ${problem}`;
    expect(operations.map(({ operation, problems }) => [operation, problems.map((found) => found.slice(0, expected.length))])).toEqual([
      ["balances", []],
      ["deposits", [expected]],
    ]);
  });
});

describe("events that no log is", () => {
  const declared = "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)";
  // keccak256 of Deposit(address,address,uint256,uint256), EIP-4626.
  const topic = "0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7";
  const withdrawTopic = "0xfbde797d201c681b91056529119e0b02407c7bb96a4a2c75c01fc9667232c8db";

  // The vaults emitted 12 Deposit and 12 Transfer logs, and nothing else.
  it.each([
    [
      "a type",
      declared.replace("uint256 shares", "uint128 shares"),
      [
        "  no logs     deposits: none of the 24 logs of vault is Deposit(address,address,uint256,uint128)",
        `  undeclared  12 logs of vault with topic ${topic}, Deposit(address,address,uint256,uint256), and 2 indexed parameters`,
      ],
    ],
    [
      "a name",
      declared.replace("Deposit", "Deposited"),
      [
        "  no logs     deposits: none of the 24 logs of vault is Deposited(address,address,uint256,uint256)",
        `  undeclared  12 logs of vault with topic ${topic}, Deposit(address,address,uint256,uint256), and 2 indexed parameters`,
      ],
    ],
    [
      "what is indexed",
      declared.replace("indexed owner", "owner"),
      [
        "  no logs     deposits: 12 logs of vault are Deposit(address,address,uint256,uint256) with 2 indexed parameters, not 1",
        "  skipped     12 logs of deposits: Expected 2 topics, found 3",
      ],
    ],
  ])("are listed with what the contracts emitted instead, if a signature differs in %s", async (_case, signature, lines) => {
    directory.edit("protocol.yaml", declared, signature);
    const result = await tryDirectory();
    expect(result.logs).toEqual(lines);
    expect(renderResult(result, "test").slice(-lines.length)).toEqual(lines);
  });

  it("are listed if their logs are before the block from which contracts count, or there is no contract", async () => {
    directory.edit("protocol.yaml", "from: 0 }", "from: 1000000 }");
    directory.edit(
      "protocol.yaml",
      "tables:\n",
      "  pool: { discoveredBy: [{ contract: vault, event: 'Opened(address pool)', address: pool }] }\ntables:\n",
    );
    const edited = readFileSync(join(directory.path, "savings/protocol.yaml"), "utf8");
    directory.write(
      "protocol.yaml",
      edited
        .replaceAll("from: 0 }", "from: 1000000 }")
        .replace('contract: vault\n    events: ["Transfer', 'contract: pool\n    events: ["Transfer'),
    );
    expect((await tryDirectory()).logs).toEqual([
      "  no logs     contracts of pool: none of the 24 logs of vault is Opened(address)",
      "  no logs     deposits: 12 logs of vault are before the block from which their contracts count",
      "  no logs     share_transfers: no contract of kind pool is known",
    ]);
  });

  it("are not listed if the declaration is that of the contracts", async () => {
    expect((await tryDirectory()).logs).toEqual([]);
  });

  it("are listed by ashlar community status", async () => {
    const { protocol } = addedProtocol();
    const event = eventOf(
      "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    );
    expect(event.topic0).toBe(withdrawTopic);
    const more = { ...protocol, tables: [...protocol.tables, { ...tableOf("withdrawals", "vault", [event.text]) }] };
    const logs = await protocolLogs(test.database, 31337, protocol, fixedContracts(protocol, { name: "test", community: {} }));
    expect(renderLogs(more, logs)).toEqual([
      "  no logs     withdrawals: none of the 24 logs of vault is Withdraw(address,address,address,uint256,uint256)",
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

  it("is run on the stored logs where the index has other tables", async () => {
    const more = '  more: { contract: vault, events: ["More(uint256 amount)"] }\n';
    expect(await tryLending({}, more)).toMatchObject({ filled: { logs: 24 }, lending: { events: 3, transactions: 3, problems: [] } });
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
    ["an event without a name", { event: "NULL" }, "Column event of lending is null."],
    ["a statement that fails", { token_amount_in: "d.assets / 0" }, "division by zero"],
  ])("reports %s", async (_case, replaced, problem, place?: string) => {
    const result = await tryLending(replaced);
    const expected = place === undefined ? problem : `${positionOf("lending.sql", place)} ${problem}`;
    expect(result.lending?.problems).toEqual([expected]);
    expect(renderResult(result, "test").at(-1)).toBe(`  failed  lending: ${expected}`);
  });
});

describe("a statement that takes too long", () => {
  it("fails after the time that statements of requests may take", async () => {
    // 12 deposits: 12 ** 9 combinations.
    const tables = [..."abcdefgh"].map((name) => `deposits ${name}`).join(", ");
    directory.edit("deposits.sql", "  d.assets,", `  d.assets + (SELECT count(*) FROM ${tables}) AS assets,`);
    const limits = { statementMilliseconds: 300 };
    const limited = await openReader(config.parse({ databaseUrl: test.url, limits }), { url: test.url }, test.database);
    const { operations } = await tryDirectory({ limits }, limited).finally(() => limited.reader.close());
    expect(operations[1]?.problems).toEqual(["deposits of savings, deposits.sql: canceling statement due to statement timeout"]);
  });
});

describe("the start of a service", () => {
  const open = (warnings: string[] = []) => {
    const settings = config.parse({ databaseUrl: test.url, communityDirectory: directory.path, chains: [{ name: "test", id: 31337 }] });
    const logger = pino({}, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
    const shutdown = { signal: new AbortController().signal, fail: () => undefined } as unknown as LongRunning["shutdown"];
    return openService(settings, [addedProtocol()], { shutdown, logger });
  };

  it("is refused with all statements that cannot be planned, also where no index has tables of the protocol", async () => {
    directory.edit("protocol.yaml", "  deposits:\n    contract: vault", "  deposits:\n    latestBy: [owner]\n    contract: vault");
    directory.edit("deposits.sql", "  d.sender,", "  d.absent AS sender,");
    directory.edit("balances.sql", "THEN v.assets END", "THEN v.asset END");
    await expect(open()).rejects.toMatchObject({
      name: "ConfigError",
      message: [
        `${positionOf("balances.sql", "CASE WHEN")} column-type: Invalid type of column "balance": found bytea, expected numeric, bigint, integer, smallint, text for bigint`,
        `${positionOf("deposits.sql", "d.absent")} unplannable-sql: Invalid statement: column d.absent does not exist (Perhaps you meant to reference the column "d.assets"), expected a statement that PostgreSQL can plan`,
        `2 problems in ${directory.path}: correct the files, or remove communityDirectory from the configuration.`,
      ].join("\n"),
    });
    expect(await test.database.query("SELECT FROM pg_namespace WHERE starts_with(nspname, 'cq_test_')")).toEqual([]);
  });

  it("continues with those that can, and warns of networks that nothing knows", async () => {
    directory.edit(
      "protocol.yaml",
      "      test:\n",
      `      eth-mainet: [{ address: "${emptyAddress}", from: 7 }]\n      gnosis-mainnet: [{ address: "${emptyAddress}", from: 7 }]\n      test:\n`,
    );
    const warnings: string[] = [];
    const service = await open(warnings);
    expect(service.readerRole).toBe(reader.readerRole);
    await service.close();
    expect(warnings).toEqual([
      expect.stringContaining(
        `${positionOf("protocol.yaml", "eth-mainet")} unknown-network: Unknown network "eth-mainet": neither a known network`,
      ),
    ]);
    expect(warnings[0]).toMatch(/ \(nearest: eth-mainnet\)$/);
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
