import { describe, expect, it } from "vitest";
import type { ChainLog } from "../../../../runtime/chain/types.ts";
import { alice, data, log, topic, withLogs } from "../token-folds.ts";
import {
  amounts,
  announce,
  created,
  deposit,
  deposited,
  factory,
  fold,
  named,
  otherVault,
  stranger,
  type Tables,
  topicOf,
  vault,
} from "./vaults.ts";

const skipped = (tables: Tables) =>
  (tables.cq_vaults_skipped ?? []).map(({ block_number, log_index, table_name, reason }) => [block_number, log_index, table_name, reason]);

describe("a declared protocol's projection", () => {
  describe("skips", () => {
    const announcement = announce(vault);
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
        log([topicOf(created), topic(otherVault)], "0x", factory),
        ["contracts", "Expected 32 bytes of data, found 0"],
      ],
    ])("a log with %s", (_, garbage, [table, reason]) => {
      const tables = fold([withLogs(4, announcement, garbage, deposited(alice, 1n))]);
      expect(skipped(tables)).toEqual([[4, 1, table, reason]]);
      expect(amounts(tables)).toEqual([[vault, 1n]]);
    });

    it("no log from an unrelated contract", () => {
      expect(skipped(fold([withLogs(4, announcement, log([topicOf(deposit)], "0x", stranger))]))).toEqual([]);
    });
  });
});
