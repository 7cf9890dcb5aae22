import { describe, expect, it } from "vitest";
import type { ChainLog } from "../../../../runtime/chain/types.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { readOf, tableOf } from "../../../support/declared-protocol.ts";
import { alice, bob, data, log, topic, withLogs } from "../token-folds.ts";
import { announce, deposited, factory, fold, otherVault, textLog, topicOf, vault, vaults } from "./vaults.ts";

describe("a declared protocol's projection", () => {
  it("queues reads once for each contract and block: at the contract's first block, and at blocks that touch it", () => {
    const tables = fold([
      withLogs(4, announce(vault), deposited(alice, 1n), deposited(bob, 2n)),
      withLogs(5, textLog("x", [], [])),
      withLogs(6, announce(otherVault), deposited(bob, 2n)),
      withLogs(7, deposited(bob, 2n), deposited(alice, 2n, otherVault)),
    ]);
    const reads = tables.community_reads?.map((row) => [row.read_name, row.contract, row.block_number, row.attempts]);
    expect(reads).toEqual([
      ["price", vault, 4, 0],
      ["asset", vault, 4, 0],
      ["price", otherVault, 6, 0],
      ["asset", otherVault, 6, 0],
      ["price", vault, 6, 0],
      ["price", vault, 7, 0],
      ["price", otherVault, 7, 0],
    ]);
  });

  it("queues reads of contracts named in a column of another contract's events, once per block", () => {
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
    const blocks = [withLogs(4, announce(vault)), withLogs(6, move(vault, otherVault), move(vault, vault), move(otherVault, otherVault))];
    expect(fold(blocks, { protocol }).community_reads?.map((row) => [row.read_name, row.contract, row.block_number])).toEqual([
      ["supply", vault, 4],
      ["rate", vault, 4],
      ["supply", vault, 6],
      ["rate", otherVault, 6],
      ["rate", vault, 6],
      ["supply", otherVault, 6],
    ]);
  });

  it("queues reads once if they are always due together", () => {
    const protocol: Protocol = {
      ...vaults,
      reads: [
        readOf("assets", "vault", "assets() view returns (uint256 value)", { touchedBy: ["deposits", "names"], everyBlocks: 9 }),
        readOf("price", "vault", "price() view returns (uint256 value)", { touchedBy: ["names"] }),
        readOf("supply", "vault", "supply() view returns (uint256 value)", { touchedBy: ["names", "deposits"], everyBlocks: 9 }),
      ],
    };
    const blocks = [withLogs(4, announce(vault)), withLogs(5, deposited(alice, 1n)), withLogs(6, textLog("x", [], []), deposited(bob, 1n))];
    expect(fold(blocks, { protocol }).community_reads?.map((row) => [row.read_name, row.block_number])).toEqual([
      ["assets", 4],
      ["price", 4],
      ["assets", 5],
      ["assets", 6],
      ["price", 6],
    ]);
  });

  it("queues reads once per column value, and none without a row", () => {
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
      withLogs(5, textLog("x", [], [])),
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
});
