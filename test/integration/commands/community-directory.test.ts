import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { LongRunningOptions } from "../../../runtime/commands/open-database.ts";
import { openServiceDatabases } from "../../../runtime/commands/open-service-databases.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { loadAddedProtocols, loadProtocols } from "../../../runtime/protocols.ts";
import { type IndexedSavings, indexSavings } from "./indexed-savings.ts";

const emptyAddress = `0x${"11".repeat(20)}`;
let savings: IndexedSavings;

beforeAll(async () => {
  savings = await indexSavings();
});
afterEach(() => savings.directory.reset());
afterAll(() => savings?.end());

describe("the start of a service", () => {
  const open = (warnings: string[] = []) => {
    const settings = configSchema.parse({
      databaseUrl: savings.testDatabase.url,
      communityDirectory: savings.directory.path,
      chains: [{ name: "test", id: 31337 }],
    });
    const logger = pino({}, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
    const shutdown = { signal: new AbortController().signal, fail: () => undefined } as unknown as LongRunningOptions["shutdown"];
    return openServiceDatabases(settings, [savings.addedProtocol()], { shutdown, logger });
  };

  it("is refused with a list of all statements that cannot be planned, even if no index has the protocol's tables", async () => {
    savings.directory.edit("protocol.yaml", "  deposits:\n    contract: vault", "  deposits:\n    latestBy: [owner]\n    contract: vault");
    savings.directory.edit("deposits.sql", "  d.sender,", "  d.absent AS sender,");
    savings.directory.edit("balances.sql", "THEN v.assets END", "THEN v.asset END");
    await expect(open()).rejects.toMatchObject({
      name: "ConfigError",
      message: [
        `${savings.positionOf("balances.sql", "CASE WHEN")} column-type: Invalid type of column "balance": found bytea, expected numeric, bigint, integer, smallint, text for bigint`,
        `${savings.positionOf("deposits.sql", "d.absent")} unplannable-sql: Invalid statement: column d.absent does not exist (Perhaps you meant to reference the column "d.assets"), expected a statement that PostgreSQL can plan`,
        `2 problems in ${savings.directory.path}: correct the files, or remove communityDirectory from the configuration.`,
      ].join("\n"),
    });
    expect(await savings.testDatabase.database.query("SELECT FROM pg_namespace WHERE starts_with(nspname, 'cq_test_')")).toEqual([]);
  });

  it("is refused if a table cannot be created", async () => {
    // An index on 30 columns also has the chain, the block and the log index: one more than PostgreSQL's maximum of 32 columns.
    const names = Array.from({ length: 30 }, (_, number) => `value${number}`);
    const signature = `Changed(${names.map((name) => `uint256 ${name}`).join(", ")})`;
    const table = `  changes: { contract: vault, events: ["${signature}"], indexes: [[${names.join(", ")}]] }\n`;
    savings.directory.edit("protocol.yaml", "tables:\n", `tables:\n${table}`);
    await expect(open()).rejects.toMatchObject({
      name: "ConfigError",
      message: expect.stringMatching(
        /protocol\.yaml:3:11 uncreatable-tables: Invalid tables: cannot use more than 32 columns in an index, expected tables that PostgreSQL can create\n1 problem/,
      ),
    });
  });

  it("succeeds with valid tables, and warns of unknown networks", async () => {
    savings.directory.edit(
      "protocol.yaml",
      "      test:\n",
      `      eth-mainet: [{ address: "${emptyAddress}", from: 7 }]\n      gnosis-mainnet: [{ address: "${emptyAddress}", from: 7 }]\n      test:\n`,
    );
    const warnings: string[] = [];
    const service = await open(warnings);
    expect(service.readerRole).toBe(savings.reader.readerRole);
    await service.close();
    expect(warnings).toEqual([
      expect.stringContaining(
        `${savings.positionOf("protocol.yaml", "eth-mainet")} unknown-network: Unknown network "eth-mainet": neither a known network`,
      ),
    ]);
    expect(warnings[0]).toMatch(/ \(nearest: eth-mainnet\)$/);
  });
});

describe("a communityDirectory", () => {
  const messageOf = (load: () => unknown): string => {
    try {
      load();
      return "";
    } catch (error) {
      expect(error).toMatchObject({ name: "ConfigError" });
      return (error as Error).message.replaceAll(savings.directory.path, "endpoints");
    }
  };

  it("is refused with all diagnostics and advice on what to do", () => {
    savings.directory.edit("protocol.yaml", "type: hash", "type: hsh");
    expect(messageOf(() => loadProtocols(configSchema.parse({ communityDirectory: savings.directory.path }))).split("\n")).toEqual([
      expect.stringMatching(/^endpoints\/savings\/protocol\.yaml:\d+:\d+ unknown-type: Unknown type "hsh": /),
      "1 problem in endpoints: correct the files, or remove communityDirectory from the configuration.",
    ]);
    expect(messageOf(() => loadAddedProtocols(`${savings.directory.path}/absent`, {}))).toBe(
      "Cannot read endpoints/absent of communityDirectory: no such file; set communityDirectory to a directory with a folder per protocol, relative to the configuration file, or remove the setting.",
    );
  });

  it("is refused if a file is not a text file of at most a megabyte", () => {
    savings.directory.write("more.sql", " ".repeat(1_048_577));
    expect(messageOf(() => loadAddedProtocols(savings.directory.path, {}))).toBe(
      "endpoints/savings/more.sql: Oversized file: found 1048577 bytes, expected at most 1048576.",
    );
    rmSync(join(savings.directory.path, "savings/more.sql"));
    mkdirSync(join(savings.directory.path, "savings/more.sql"));
    expect(messageOf(() => loadAddedProtocols(savings.directory.path, {}))).toBe(
      "endpoints/savings/more.sql: Invalid file: found a folder, pipe or device, expected a text file.",
    );
    rmSync(join(savings.directory.path, "savings/more.sql"), { recursive: true });
  });

  it("may contain links to folders", () => {
    const links = mkdtempSync(join(tmpdir(), "ashlar-links-"));
    symlinkSync(join(savings.directory.path, "savings"), join(links, "savings"));
    symlinkSync(join(savings.directory.path, "absent"), join(links, "absent"));
    expect(loadAddedProtocols(links, {}).map(({ protocol }) => protocol.id)).toEqual(["savings"]);
    rmSync(links, { recursive: true });
  });

  it("is refused if the name configured for a built-in protocol is the id of an added one", () => {
    const names = { protocol_06: "savings" };
    expect(messageOf(() => loadAddedProtocols(savings.directory.path, names))).toContain(
      'taken-name: Duplicate name "savings": it is already the id or the name of the built-in protocol protocol_06 in the setting protocols',
    );
  });

  it("accepts configured contracts of an added protocol, and refuses unknown kinds", () => {
    const chains = (kind: string) => [{ name: "test", id: 31337, community: { savings: { [kind]: [emptyAddress] } } }];
    const load = (kind: string) => () =>
      loadProtocols(configSchema.parse({ communityDirectory: savings.directory.path, chains: chains(kind) }));
    expect(messageOf(load("vault"))).toBe("");
    expect(messageOf(load("vaults"))).toContain(
      "Unknown contract vaults of protocol savings in the community setting of chain test: did you mean vault?",
    );
  });
});
