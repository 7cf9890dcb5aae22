import { describe, expect, it } from "vitest";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import { fixedContracts } from "../../../../runtime/domains/community/contracts-on-chain.ts";
import { declaredProjection } from "../../../../runtime/domains/community/projection/index.ts";
import type { Row } from "../../../../runtime/indexer/projection.ts";
import { contractOf } from "../../../support/declared-protocol.ts";
import { alice, bob, log, topic, withLogs } from "../token-folds.ts";
import { amounts, announce, deposit, deposited, factory, fold, otherVault, stranger, textLog, topicOf, vault, vaults } from "./vaults.ts";

describe("a declared protocol's projection", () => {
  it("stores an announced contract's events from its announcement on, in log order", () => {
    const blocks = [
      withLogs(2, announce(otherVault), deposited(alice, 1n, otherVault)),
      withLogs(3, deposited(alice, 2n), announce(vault), deposited(alice, 3n), deposited(alice, 4n, otherVault)),
      withLogs(4, deposited(bob, 5n)),
      withLogs(5, announce(vault), announce(otherVault), deposited(bob, 6n, otherVault)),
    ];
    // The factory is configured from block 3 on, so block 2 is ignored; the vault's first deposit precedes its announcement.
    const expected = [
      [vault, 3n],
      [vault, 5n],
      [otherVault, 6n],
    ];
    for (const batchSize of [1, 2, 4]) {
      const tables = fold(blocks, { batchSize });
      expect(amounts(tables)).toEqual(expected);
      expect(tables.cq_vaults_contracts).toEqual([
        { address: factory, kind: "factory", block_number: 3, log_index: null },
        { address: vault, kind: "vault", block_number: 3, log_index: 1 },
        { address: otherVault, kind: "vault", block_number: 5, log_index: 1 },
      ]);
      expect(tables.cq_vaults_skipped).toEqual([]);
    }
  });

  it("ignores announcements by others, and events from unannounced contracts", () => {
    const tables = fold([withLogs(4, announce(vault, stranger), deposited(alice, 1n), deposited(alice, 2n, factory))]);
    expect(amounts(tables)).toEqual([]);
    expect(tables.cq_vaults_contracts).toEqual([]);
  });

  it("stores configured contracts' events; the contracts exist from their first event on", () => {
    const blocks = [withLogs(1), withLogs(2, deposited(alice, 1n)), withLogs(3, announce(vault), deposited(alice, 2n))];
    const tables = fold(blocks, { community: { vaults: { vault: [vault] } }, batchSize: 1 });
    expect(amounts(tables)).toEqual([
      [vault, 1n],
      [vault, 2n],
    ]);
    expect(tables.cq_vaults_contracts).toEqual([
      { address: vault, kind: "vault", block_number: 2, log_index: null },
      { address: factory, kind: "factory", block_number: 3, log_index: null },
    ]);
  });

  it("decodes the event variant with the log's number of topics", () => {
    const indexed = log([topicOf(deposit), topic(alice), topic(9n)], "0x", vault);
    expect(amounts(fold([withLogs(4, announce(vault), deposited(alice, 8n), indexed)]))).toEqual([
      [vault, 8n],
      [vault, 9n],
    ]);
  });

  it("stores text without NUL, negative numbers and lists", () => {
    const tables = fold([withLogs(4, announce(vault), textLog("a\0b", [-1n, 5n], [alice]), textLog("", [], []))]);
    expect(tables.cq_vaults_names?.map(({ label: text, deltas, tokens }) => [text, deltas, tokens])).toEqual([
      ["ab", [-1n, 5n], [alice]],
      ["", [], []],
    ]);
  });

  it("stores each key's newest row, and the periods of earlier ones", () => {
    const blocks = [
      withLogs(4, announce(vault), deposited(alice, 1n), deposited(alice, 2n), deposited(bob, 3n)),
      withLogs(5),
      withLogs(7, deposited(alice, 4n)),
    ];
    for (const batchSize of [1, 3]) {
      const tables = fold(blocks, { batchSize });
      const shape = (row: Row) => [row.owner, row.since_block ?? `${row.from_block} to ${row.to_block}`, row.assets, row.log_index];
      expect(tables.cq_vaults_deposits_latest?.map(shape).sort()).toEqual([
        [alice, 7, 4n, 0],
        [bob, 4, 3n, 3],
      ]);
      expect(tables.cq_vaults_deposits_periods?.map(shape)).toEqual([[alice, "4 to 6", 2n, 2]]);
    }
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
    for (const candidate of [version, ...others]) expect(candidate >= 0 && candidate < 2 ** 31).toBe(true);
  });
});
