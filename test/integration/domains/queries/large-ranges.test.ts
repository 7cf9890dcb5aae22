import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type FixtureIndex, openFixtureIndex, transactionRow, wordOf } from "./fixture-index.ts";

const blockCount = 30;
const logsPerBlock = 100;
const dataBytes = 96;
const maxBytes = 1_000_000;
let index: FixtureIndex;
const events = (query: string) => index.get(`/v1/fixture/events/?${query}`);

beforeAll(async () => {
  index = await openFixtureIndex({ responseRows: 2_900, responseBytes: maxBytes });
  await index.insertBlocks(0, blockCount - 1);
  const heights = Array.from({ length: blockCount }, (_, block) => block);
  await index.insert(
    "transactions",
    heights.map((block) => transactionRow(block, 0, addressOf(1), addressOf(2))),
  );
  await index.insert(
    "logs",
    heights.flatMap((block) =>
      Array.from({ length: logsPerBlock }, (_, log) => ({
        chain_id: 7,
        block_number: block,
        log_index: log,
        transaction_index: 0,
        address: addressOf(2),
        topic0: wordOf(1),
        topic1: wordOf(log),
        data: `0x${"ab".repeat(dataBytes)}`,
      })),
    ),
  );
  return index.end;
});

describe("a range of more than 1,000 logs", () => {
  it("is returned in full, newest first, if it fits in a response", async () => {
    const { status, data } = await events("starting-block=1&ending-block=11&skip-decode=true&format=json&topics=0x1");
    expect([status, data.items.length]).toEqual([200, 1_100]);
    const positions = data.items.map((item: { block_height: number; log_offset: number }) => item.block_height * 1000 + item.log_offset);
    expect(positions).toEqual(positions.toSorted((left: number, right: number) => right - left));
  });

  it.each([
    // The block and transaction hashes, address, data and topics take 2 * 66 + 42 + 2 + 2 * 96 + 2 * 68 bytes; CSV has no field names.
    { format: "json", min: 2_800 * 700 },
    { format: "csv", min: 2_800 * 504 },
  ])("is refused in $format format, before its logs are read, if it does not fit", async ({ format, min }) => {
    const { status, message, text } = await events(`starting-block=1&ending-block=28&format=${format}`);
    const found = /^Response too large: at least (\d+) bytes; the maximum is 1000000 \(limits\.responseBytes\)/.exec(message);
    expect([status, found === null ? text.slice(0, 200) : null]).toEqual([400, null]);
    // Serialization stops at the maximum: only a bound that is computed from all logs is far above it.
    expect(Number(found?.[1])).toBeGreaterThan(min);
  });

  it("is refused with the maximum number of logs if it has more", async () => {
    const { status, message } = await events(`starting-block=0&ending-block=${blockCount - 1}`);
    expect([status, message]).toEqual([400, expect.stringContaining("a range with at most 2900 matching logs")]);
  });
});
