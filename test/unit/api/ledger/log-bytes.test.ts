import { describe, expect, it } from "vitest";
import { operationsById } from "../../../../generated/operations.gen.ts";
import { minLogBytes } from "../../../../runtime/api/ledger/log-bytes.ts";
import { type LogSender, viewLogWithBlock } from "../../../../runtime/api/ledger/view-log.ts";
import type { LogRow } from "../../../../runtime/domains/ledger/queries/log-row.ts";
import { measureCsv } from "../../../../runtime/http/csv.ts";
import type { Hex } from "../../../../runtime/lib/hex.ts";

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const address: Hex = `0x${"2".repeat(40)}`;
const log = (topics: number, dataBytes: number): LogRow => ({
  block_number: 1,
  block_hash: hash("1"),
  timestamp: 0,
  log_index: 0,
  transaction_index: 0,
  transaction_hash: hash("3"),
  address,
  topic0: topics > 0 ? hash("4") : null,
  topic1: topics > 1 ? hash("5") : null,
  topic2: topics > 2 ? hash("6") : null,
  topic3: topics > 3 ? hash("7") : null,
  data: `0x${"ff".repeat(dataBytes)}`,
});

/** The senders with the shortest fields: unknown ones, or empty texts and a one-digit number. */
const senders: readonly LogSender[] = [
  { metadata: undefined, label: null, logo: null, factory: null },
  { metadata: { address, name: "", symbol: "", decimals: 6, standards: [] }, label: "", logo: "", factory: null },
];
const shapes = [0, 1, 2, 3, 4].flatMap((topics) => [0, 1, 32, 1_000].map((dataBytes) => ({ topics, dataBytes })));

describe("the lower bound on log size", () => {
  it.each(senders)("is at most, and close to, the size of a log in JSON and CSV", async (sender) => {
    for (const { topics, dataBytes } of shapes) {
      const item = viewLogWithBlock(log(topics, dataBytes), sender, null);
      const sizes = { count: 1, topics, dataBytes };
      const json = JSON.stringify(item).length;
      expect(minLogBytes(sizes, "json")).toBeLessThanOrEqual(json);
      expect(minLogBytes(sizes, "json")).toBeGreaterThan(json - 40);
      const csv = await measureCsv(operationsById.getLogs, { items: [item] }, Number.MAX_SAFE_INTEGER);
      expect(minLogBytes(sizes, "csv")).toBeLessThanOrEqual(csv);
      expect(minLogBytes(sizes, "csv")).toBeGreaterThan(csv - 40);
    }
  });
});
