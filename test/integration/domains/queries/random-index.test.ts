import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { createLedgerQueries } from "../../../../runtime/domains/ledger/queries/index.ts";
import { createTokenQueries } from "../../../../runtime/domains/tokens/queries/index.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { addressOf, type FixtureIndex, openFixtureIndex, transactionRow, wordOf } from "./fixture-index.ts";

// Compares queries with full scans of the same random rows.
const chainId = 7;
const head = 299;
const random = createRandom("random index");
let index: FixtureIndex;

beforeAll(async () => {
  index = await openFixtureIndex();
  await index.insertBlocks(0, head);
  return index.end;
});

describe("balance changes in block ranges", () => {
  const owner = addressOf(0xabc) as Address;
  const tokens = Array.from({ length: 12 }, (_, number) => addressOf(0x200 + number) as Address);
  const changes = new Map<string, Record<number, string | null>>();

  beforeAll(async () => {
    for (const [number, token] of tokens.entries()) {
      const from: Record<number, string | null> = {};
      for (let change = random.between(1, 40); change > 0; change -= 1) from[random.between(0, head)] = String(random.between(0, 10_000));
      // Two tokens have an unknown balance for a while.
      if (number < 2) from[random.between(100, 200)] = null;
      changes.set(token, from);
      await index.insertBalances(owner, token, 1, from);
    }
    // Collections are not part of portfolios.
    await index.insertBalances(owner, addressOf(0x300), 2, { 5: "1", 150: "2" });
  });

  it("include the highest, lowest and last value of every token that changed", async () => {
    for (const bounds of [
      [0, 300],
      [0, 10, 60, 60, 60, 200, 300],
      [90, 110, 130, 150, 150, 170, 190, 210],
      [299, 300],
      [300, 300],
    ]) {
      const spans = { starts: bounds.slice(0, -1), ends: bounds.slice(1).map((bound) => bound - 1) };
      const rows = await createTokenQueries(index.database).balanceSpans(chainId, owner, spans);
      for (const token of tokens) {
        for (const [position, start] of spans.starts.entries()) {
          const changesInSpan = Object.entries(changes.get(token) ?? {})
            .map(([block, value]) => ({ block: Number(block), value }))
            .filter(({ block }) => block >= start && block <= (spans.ends[position] ?? 0))
            .sort((left, right) => left.block - right.block)
            .map(({ value }) => value);
          const tokenRows = rows.filter((row) => row.token === token && row.span === position + 1);
          const numbersOrNull = (values: readonly (string | null)[]) => (values.includes(null) ? null : values.map(Number));
          const [highs, lows, expected] = [
            numbersOrNull(tokenRows.map(({ high }) => high)),
            numbersOrNull(tokenRows.map(({ low }) => low)),
            numbersOrNull(changesInSpan),
          ];
          const label = `${token} in blocks ${start} to ${spans.ends[position]}`;
          expect(highs && Math.max(...highs), label).toBe(expected && Math.max(...expected));
          expect(lows && Math.min(...lows), label).toBe(expected && Math.min(...expected));
          expect(tokenRows.at(-1)?.close, label).toBe(changesInSpan.at(-1));
        }
      }
      expect(rows.every(({ token }) => tokens.includes(token))).toBe(true);
    }
  });
});

describe("contract metadata", () => {
  it("is returned for every contract, with null fields if nothing is stored", async () => {
    const [both, metadataOnly, standardOnly, neither] = [1, 2, 3, 4].map((number) => addressOf(0x400 + number)) as [
      Address,
      Address,
      Address,
      Address,
    ];
    const metadataRow = (address: Address, name: string | null) => ({
      chain_id: chainId,
      address,
      block_number: 1,
      name,
      symbol: null,
      decimals: 6,
      read_at_block: 1,
    });
    await index.insert("token_metadata", [metadataRow(both, "Both"), metadataRow(metadataOnly, null)]);
    const standardRow = (address: Address, standard: number) => ({ chain_id: chainId, address, standard, block_number: 1 });
    await index.insert("token_standards", [standardRow(both, 3), standardRow(both, 1), standardRow(standardOnly, 2)]);
    const metadata = await createTokenQueries(index.database).metadata(chainId, [neither, standardOnly, both, metadataOnly, both]);
    expect([...metadata.values()].sort((left, right) => (left.address < right.address ? -1 : 1))).toEqual([
      { address: both, name: "Both", symbol: null, decimals: 6, standards: [1, 3] },
      { address: metadataOnly, name: null, symbol: null, decimals: 6, standards: [] },
      { address: standardOnly, name: null, symbol: null, decimals: null, standards: [2] },
      { address: neither, name: null, symbol: null, decimals: null, standards: [] },
    ]);
    expect(metadata.size).toBe(4);
  });
});

describe("logs filtered by later topics", () => {
  const logs: { readonly block_number: number; readonly log_index: number; readonly topics: readonly (Hex | null)[] }[] = [];

  beforeAll(async () => {
    await index.insert(
      "transactions",
      Array.from({ length: head + 1 }, (_, block) => transactionRow(block, 0, addressOf(1), null)),
    );
    for (let block = 0; block <= head; block += 1) {
      for (let log = random.between(0, 4); log > 0; log -= 1) {
        const topics = Array.from({ length: 4 }, (_, position) => {
          // Low numbers are frequent; later topics may be missing.
          const number = random.between(0, random.between(0, 8));
          return position > random.between(1, 4) ? null : wordOf(number);
        });
        logs.push({ block_number: block, log_index: 10 - log, topics });
      }
    }
    const rows = logs.map(({ topics: [topic0, topic1, topic2, topic3], ...position }) => {
      const later = { topic1: topic1 ?? null, topic2: topic2 ?? null, topic3: topic3 ?? null };
      return {
        ...position,
        chain_id: chainId,
        transaction_index: 0,
        address: addressOf(0xc0),
        data: "0x",
        topic0: topic0 ?? null,
        ...later,
      };
    });
    await index.insert("logs", rows);
    await index.database.query("ANALYZE logs");
  });

  it("are the logs that have all of the topics, at any position except the first", async () => {
    const ledger = createLedgerQueries(index.database);
    for (const others of [[0], [8], [3, 5], [7, 7], [1, 2, 3], [99]]) {
      const otherTopics = others.map(wordOf);
      for (const [first, last] of [
        [0, head],
        [50, 120],
      ] as const) {
        const expected = logs
          .filter(({ block_number, topics: [topic0, ...later] }) => {
            const within = block_number >= first && block_number <= last;
            return within && topic0 === wordOf(1) && otherTopics.every((topic) => later.includes(topic));
          })
          .map(({ block_number, log_index }) => [block_number, log_index] as const)
          .sort(([a, b], [c, d]) => c - a || d - b);
        const filter = { first, last, topics: [wordOf(1)], otherTopics };
        const returned = [...(await ledger.logs(chainId, filter, 5, 0)), ...(await ledger.logs(chainId, filter, 1_000, 5))];
        expect(
          returned.map(({ block_number, log_index }) => [block_number, log_index]),
          `${others} in ${first} to ${last}`,
        ).toEqual(expected);
        expect(await ledger.logCount(chainId, filter)).toBe(expected.length);
      }
    }
  });
});
