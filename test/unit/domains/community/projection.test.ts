import { encodeAbiParameters } from "viem";
import { describe, expect, it } from "vitest";
import type { ChainBlock, ChainLog } from "../../../../runtime/chain/types.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import { fixedContracts } from "../../../../runtime/domains/community/contracts-on-chain.ts";
import { declaredProjection } from "../../../../runtime/domains/community/projection/index.ts";
import type { Row } from "../../../../runtime/indexer/projection.ts";
import { createState, keyText } from "../../../../runtime/indexer/state/state.ts";
import type { Address, Hash } from "../../../../runtime/lib/hex.ts";
import { contractOf, eventOf, protocolOf, readOf, tableOf } from "../../../support/declared-protocol.ts";
import { alice, bob, data, log, topic, withLogs } from "../token-folds.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
const [factory, vault, second, stranger] = ["1", "2", "3", "4"].map(account) as [Address, Address, Address, Address];
const facts = { from: 0, baseBlock: 0, nativeAccounting: "none", wrappedNative: new Set<Address>() } as const;

const created = "Created(address indexed vault, address asset)";
const deposit = "Deposit(address indexed owner, uint256 assets)";
/** The same event in contracts that index the amount. */
const indexedDeposit = "Deposit(address indexed owner, uint256 indexed assets)";
const named = "Named(string label, int128[] deltas, address[] tokens)";

const vaults = protocolOf({
  id: "vaults",
  contracts: {
    factory: contractOf({ test: [{ address: factory, from: 3 }] }),
    vault: contractOf({}, [{ contract: "factory", event: created, parameter: "vault" }]),
  },
  tables: [
    tableOf("deposits", "vault", [deposit, indexedDeposit], { latestBy: ["contract", "owner"] }),
    tableOf("names", "vault", [named]),
  ],
  reads: [
    readOf("price", "vault", "price() view returns (uint256 value)", { touchedBy: ["deposits"] }),
    readOf("asset", "vault", "asset() view returns (address value)", { everyBlocks: 100 }),
  ],
});

const topicOf = (text: string): Hash => eventOf(text).topic0;
const announce = (address: Address, by = factory): ChainLog => log([topicOf(created), topic(address)], data(7), by);
const deposited = (from: Address, amount: bigint, by = vault): ChainLog => log([topicOf(deposit), topic(from)], data(amount), by);
const label = (text: string, deltas: readonly bigint[], tokens: readonly Address[], by = vault): ChainLog =>
  log([topicOf(named)], encodeAbiParameters([{ type: "string" }, { type: "int128[]" }, { type: "address[]" }], [text, deltas, tokens]), by);

type Tables = Record<string, Row[]>;

/** Folds blocks in portions, each on the rows of the previous ones, and returns the rows as the tables would have them. */
const fold = (
  blocks: readonly ChainBlock[],
  {
    portion = blocks.length,
    protocol = vaults,
    community = {},
  }: { portion?: number; protocol?: Protocol; community?: Record<string, Record<string, Address[]>> } = {},
): Tables => {
  const projection = declaredProjection(protocol, fixedContracts(protocol, { name: "test", community }));
  const tables: Tables = {};
  for (let start = 0; start < blocks.length; start += portion) {
    const decoded = blocks.slice(start, start + portion).map((one) => ({ block: one, events: [] }));
    const needs = projection.needs(decoded, facts);
    const state = createState(
      Object.fromEntries(
        Object.entries(projection.loads).map(([name, { table, key }]) => {
          const rows = (tables[table] ?? []).map((row) => [keyText(Object.keys(key).map((column) => String(row[column]))), row] as const);
          // Only declared keys are loaded.
          return [name, new Map(rows.filter(([text]) => needs[name]?.has(text)))];
        }),
      ),
    );
    const folded = projection.fold(decoded, {
      chain: facts,
      state,
      base: () => {
        throw new Error("Unexpected read of the node");
      },
    });
    for (const table of projection.tables) {
      const rows = folded[table.name] ?? [];
      const keyOf = (row: Row) => (table.kind === "latest" ? keyText(table.key.map((column) => String(row[column]))) : null);
      const replaced = new Set(rows.map(keyOf));
      const kept = (tables[table.name] ?? []).filter((row) => table.kind !== "latest" || !replaced.has(keyOf(row)));
      tables[table.name] = [...kept, ...rows];
    }
  }
  return tables;
};

const amounts = (tables: Tables) => (tables.cq_vaults_deposits ?? []).map(({ contract, assets }) => [contract, assets]);
const skipped = (tables: Tables) =>
  (tables.cq_vaults_skipped ?? []).map(({ block_number, log_index, table_name, reason }) => [block_number, log_index, table_name, reason]);

describe("the projection of a declared protocol", () => {
  it("stores the events of an announced contract from its announcement on, in the order of logs", () => {
    const blocks = [
      withLogs(2, announce(second), deposited(alice, 1n, second)),
      withLogs(3, deposited(alice, 2n), announce(vault), deposited(alice, 3n), deposited(alice, 4n, second)),
      withLogs(4, deposited(bob, 5n)),
      withLogs(5, announce(vault), announce(second), deposited(bob, 6n, second)),
    ];
    // The factory counts from block 3 on, the vault's first deposit precedes its announcement, and block 2 the factory's.
    const expected = [
      [vault, 3n],
      [vault, 5n],
      [second, 6n],
    ];
    for (const portion of [1, 2, 4]) {
      const tables = fold(blocks, { portion });
      expect(amounts(tables)).toEqual(expected);
      expect(tables.cq_vaults_contracts).toEqual([
        { address: factory, kind: "factory", block_number: 3, log_index: null },
        { address: vault, kind: "vault", block_number: 3, log_index: 1 },
        { address: second, kind: "vault", block_number: 5, log_index: 1 },
      ]);
      expect(tables.cq_vaults_skipped).toEqual([]);
    }
  });

  it("ignores announcements by others, and events of contracts that were not announced", () => {
    const tables = fold([withLogs(4, announce(vault, stranger), deposited(alice, 1n), deposited(alice, 2n, factory))]);
    expect(amounts(tables)).toEqual([]);
    expect(tables.cq_vaults_contracts).toEqual([]);
  });

  it("stores the events of configured contracts, which exist from their first event on", () => {
    const blocks = [withLogs(1), withLogs(2, deposited(alice, 1n)), withLogs(3, announce(vault), deposited(alice, 2n))];
    const tables = fold(blocks, { community: { vaults: { vault: [vault] } }, portion: 1 });
    expect(amounts(tables)).toEqual([
      [vault, 1n],
      [vault, 2n],
    ]);
    expect(tables.cq_vaults_contracts).toEqual([
      { address: vault, kind: "vault", block_number: 2, log_index: null },
      { address: factory, kind: "factory", block_number: 3, log_index: null },
    ]);
  });

  it("decodes the variant of an event that has the log's number of topics", () => {
    const indexed = log([topicOf(deposit), topic(alice), topic(9n)], "0x", vault);
    expect(amounts(fold([withLogs(4, announce(vault), deposited(alice, 8n), indexed)]))).toEqual([
      [vault, 8n],
      [vault, 9n],
    ]);
  });

  it("stores text without NUL, negative numbers and lists", () => {
    const tables = fold([withLogs(4, announce(vault), label("a\0b", [-1n, 5n], [alice]), label("", [], []))]);
    expect(tables.cq_vaults_names?.map(({ label: text, deltas, tokens }) => [text, deltas, tokens])).toEqual([
      ["ab", [-1n, 5n], [alice]],
      ["", [], []],
    ]);
  });

  it("stores the newest row of each key, and the periods of earlier ones", () => {
    const blocks = [
      withLogs(4, announce(vault), deposited(alice, 1n), deposited(alice, 2n), deposited(bob, 3n)),
      withLogs(5),
      withLogs(7, deposited(alice, 4n)),
    ];
    for (const portion of [1, 3]) {
      const tables = fold(blocks, { portion });
      const shape = (row: Row) => [row.owner, row.since_block ?? `${row.from_block} to ${row.to_block}`, row.assets, row.log_index];
      expect(tables.cq_vaults_deposits_latest?.map(shape).sort()).toEqual([
        [alice, 7, 4n, 0],
        [bob, 4, 3n, 3],
      ]);
      expect(tables.cq_vaults_deposits_periods?.map(shape)).toEqual([[alice, "4 to 6", 2n, 2]]);
    }
  });

  it("queues reads once for each contract and block: at its first block, and where it is touched", () => {
    const tables = fold([
      withLogs(4, announce(vault), deposited(alice, 1n), deposited(bob, 2n)),
      withLogs(5, label("x", [], [])),
      withLogs(6, announce(second), deposited(bob, 2n)),
      withLogs(7, deposited(bob, 2n), deposited(alice, 2n, second)),
    ]);
    const reads = tables.community_reads?.map((row) => [row.read_name, row.contract, row.block_number, row.attempts]);
    expect(reads).toEqual([
      ["price", vault, 4, 0],
      ["asset", vault, 4, 0],
      ["price", second, 6, 0],
      ["asset", second, 6, 0],
      ["price", vault, 6, 0],
      ["price", vault, 7, 0],
      ["price", second, 7, 0],
    ]);
  });

  it("queues reads of the contracts that a column has, which another one announces, once for each block", () => {
    const moved = "Moved(bytes32 indexed id, address indexed vault, uint256 assets)";
    const protocol: Protocol = {
      ...vaults,
      tables: [tableOf("moves", "factory", [moved])],
      reads: [
        readOf("supply", "vault", "supply() view returns (uint256 value)", { touchedBy: ["moves"], contractColumn: "id" }),
        readOf("rate", "vault", "rate() view returns (uint256 value)", { touchedBy: ["moves"], contractColumn: "vault" }),
      ],
    };
    const move = (from: Address, to: Address): ChainLog => log([topicOf(moved), `${from}${"a".repeat(24)}`, topic(to)], data(1), factory);
    const blocks = [withLogs(4, announce(vault)), withLogs(6, move(vault, second), move(vault, vault), move(second, second))];
    expect(fold(blocks, { protocol }).community_reads?.map((row) => [row.read_name, row.contract, row.block_number])).toEqual([
      ["supply", vault, 4],
      ["rate", vault, 4],
      ["supply", vault, 6],
      ["rate", second, 6],
      ["rate", vault, 6],
      ["supply", second, 6],
    ]);
  });

  it("queues reads that are always due together once", () => {
    const protocol: Protocol = {
      ...vaults,
      reads: [
        readOf("assets", "vault", "assets() view returns (uint256 value)", { touchedBy: ["deposits", "names"], everyBlocks: 9 }),
        readOf("price", "vault", "price() view returns (uint256 value)", { touchedBy: ["names"] }),
        readOf("supply", "vault", "supply() view returns (uint256 value)", { touchedBy: ["names", "deposits"], everyBlocks: 9 }),
      ],
    };
    const blocks = [withLogs(4, announce(vault)), withLogs(5, deposited(alice, 1n)), withLogs(6, label("x", [], []), deposited(bob, 1n))];
    expect(fold(blocks, { protocol }).community_reads?.map((row) => [row.read_name, row.block_number])).toEqual([
      ["assets", 4],
      ["price", 4],
      ["assets", 5],
      ["assets", 6],
      ["price", 6],
    ]);
  });

  it("queues reads once for each value of a column, and no such read without a row", () => {
    const protocol: Protocol = {
      ...vaults,
      reads: [
        readOf("share", "vault", "share(address owner, uint8 kind) view returns (uint256 value)", {
          arguments: [
            { name: "owner", type: "address", column: "owner" },
            { name: "kind", type: "uint256", each: ["1", "2"] },
          ],
          touchedBy: ["deposits"],
        }),
        readOf("at", "vault", "at(uint256 assets, address owner) view returns (uint256 value)", {
          arguments: [
            { name: "assets", type: "uint256", column: "assets" },
            { name: "owner", type: "address", column: "owner" },
          ],
          touchedBy: ["deposits"],
        }),
      ],
    };
    const blocks = [
      withLogs(4, announce(vault), deposited(alice, 1n), deposited(alice, 2n), deposited(bob, 2n), deposited(bob, 2n)),
      withLogs(5, label("x", [], [])),
      withLogs(6, deposited(alice, 1n)),
    ];
    const reads = fold(blocks, { protocol }).community_reads?.map((row) => [row.read_name, row.arguments, row.block_number]);
    expect(reads).toEqual([
      ["share", alice, 4],
      ["at", `1,${alice}`, 4],
      ["at", `2,${alice}`, 4],
      ["share", bob, 4],
      ["at", `2,${bob}`, 4],
      ["share", alice, 6],
      ["at", `1,${alice}`, 6],
    ]);
  });

  describe("skips", () => {
    const known = announce(vault);
    it.each<[string, ChainLog, readonly [table: string, reason: string]]>([
      ["short data", log([topicOf(deposit), topic(alice)], "0x1234", vault), ["deposits", "Expected 32 bytes of data, found 2"]],
      ["no data", log([topicOf(deposit), topic(alice)], "0x", vault), ["deposits", "Expected 32 bytes of data, found 0"]],
      ["trailing data", log([topicOf(deposit), topic(alice)], data(1, 2), vault), ["deposits", "Expected 32 bytes of data, found 64"]],
      ["too few topics", log([topicOf(deposit)], data(1), vault), ["deposits", "Expected 2 topics, found 1"]],
      [
        "too many topics",
        log([topicOf(deposit), topic(1), topic(2), topic(3)], data(1), vault),
        ["deposits", "Expected 2 topics, found 4"],
      ],
      [
        "a topic that is not an address",
        log([topicOf(deposit), topic(2n ** 255n)], data(1), vault),
        ["deposits", "Topic 1 is not an encoding of address"],
      ],
      [
        "data that does not decode",
        log([topicOf(named)], `0x${"f".repeat(640)}`, vault),
        ["names", "The data is not the encoding of (string,int128[],address[])"],
      ],
      [
        "data that is too long",
        log([topicOf(named)], `0x${"0".repeat(2 * 65_568)}`, vault),
        ["names", "Expected at most 65536 bytes of data, found 65568"],
      ],
      [
        "a malformed announcement",
        log([topicOf(created), topic(second)], "0x", factory),
        ["contracts", "Expected 32 bytes of data, found 0"],
      ],
    ])("a log with %s", (_, garbage, [table, reason]) => {
      const tables = fold([withLogs(4, known, garbage, deposited(alice, 1n))]);
      expect(skipped(tables)).toEqual([[4, 1, table, reason]]);
      expect(amounts(tables)).toEqual([[vault, 1n]]);
    });

    it("no log of a contract that is not the protocol's", () => {
      expect(skipped(fold([withLogs(4, known, log([topicOf(deposit)], "0x", stranger))]))).toEqual([]);
    });
  });

  it("has another version when the declaration or the contracts change, and the same one otherwise", () => {
    const versionOf = (protocol: Protocol, name = "test", community = {}) =>
      declaredProjection(protocol, fixedContracts(protocol, { name, community })).version;
    const version = versionOf(vaults);
    expect(version).toBe(versionOf({ ...vaults, name: "other", description: "Other words." }));
    const others = [
      versionOf({ ...vaults, version: 2 }),
      versionOf({ ...vaults, tables: vaults.tables.slice(0, 1) }),
      versionOf({ ...vaults, reads: [] }),
      versionOf({ ...vaults, contracts: { ...vaults.contracts, factory: contractOf({ test: [{ address: factory, from: 4 }] }) } }),
      versionOf(vaults, "other"),
      versionOf(vaults, "test", { vaults: { vault: [vault] } }),
    ];
    expect(new Set([version, ...others]).size).toBe(others.length + 1);
    for (const one of [version, ...others]) expect(one >= 0 && one < 2 ** 31).toBe(true);
  });
});
