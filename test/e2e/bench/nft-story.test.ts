import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentsOf, traitsOf } from "../../../bench/nft/documents.ts";
import { endpointCases } from "../../../bench/nft/endpoint-cases.ts";
import { fillIndex } from "../../../bench/nft/fill-index.ts";
import { nftMarketOf } from "../../../bench/nft/nft-market.ts";
import { runPendingJobs, serveCases } from "../../../bench/nft/serve.ts";
import { generateBlocks } from "../../../bench/nft/story.ts";
import type { BenchResult } from "../../../bench/result.ts";
import { projections } from "../../../bench/support/projections.ts";
import { countRows } from "../../../bench/support/tables.ts";
import { parseDocument } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/parse-document.ts";
import type { DecodedEvent } from "../../../runtime/events/decoded-block.ts";
import { createEventDecoder } from "../../../runtime/events/event-decoder.ts";
import { zeroAddress } from "../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const size = { seed: 3, tokens: 500, sales: 1_500, until: 1_780_000_000 };
const nftMarket = nftMarketOf(size);
const decode = createEventDecoder(projections.flatMap(({ events }) => events));
const blocks = [...generateBlocks(size)].map(decode);
const events = blocks.flatMap((block) => block.events);
const eventsOfKind = <Kind extends DecodedEvent["kind"]>(kind: Kind) =>
  events.filter((event): event is DecodedEvent & { kind: Kind } => event.kind === kind);

const countSold = (items: readonly { readonly kind: string }[]): number => items.filter(({ kind }) => kind === "token").length;

describe("generated collections", () => {
  it("are identical for the same seed and differ between seeds", () => {
    expect([...generateBlocks(size)].slice(0, 50).map(decode)).toEqual(blocks.slice(0, 50));
    expect([...generateBlocks({ ...size, seed: 4 })].slice(0, 50).map(decode)).not.toEqual(blocks.slice(0, 50));
  });

  it("emit only logs that the decoder supports", () => {
    expect(events.length).toBe(blocks.flatMap(({ block }) => block.transactions).reduce((sum, { logs }) => sum + logs.length, 0));
    const kinds = new Set(events.map(({ kind }) => kind));
    for (const kind of ["erc20Approval", "erc721Approval", "approvalForAll", "erc1155Transfer", "feedAnswer"])
      expect(kinds).toContain(kind);
  });

  it("have the requested number of sales in consecutive blocks over a year", () => {
    expect(eventsOfKind("orderFulfilled").length).toBe(1_500);
    expect(blocks.length).toBe(750);
    expect(blocks.slice(1).every(({ block }, index) => block.parentHash === blocks[index]?.block.hash)).toBe(true);
    const [first, last] = [blocks[0]?.block.timestamp ?? 0, blocks.at(-1)?.block.timestamp ?? 0];
    expect(last).toBe(size.until);
    // The first block is one block time less than a year before the last.
    expect(last - first).toBeGreaterThan(364 * 86_400);
    expect(last - first).toBeLessThanOrEqual(365 * 86_400);
  });

  it("transfer tokens only from their owners", () => {
    const owners = new Map<string, string>();
    let wrong = 0;
    for (const { address, from, to, tokenId } of eventsOfKind("erc721Transfer")) {
      const key = `${address} ${tokenId}`;
      if ((owners.get(key) ?? zeroAddress) !== from) wrong += 1;
      owners.set(key, to);
    }
    expect(wrong).toBe(0);
    const countOwnedBy = (owner: string): number =>
      [...owners].filter(([key, holder]) => key.startsWith(nftMarket.largeCollection) && holder === owner).length;
    // Of 10,000 tokens, the whale holds 1,000 and the approver 300; with 500 tokens, each holds a twentieth of that.
    expect([countOwnedBy(nftMarket.whale), countOwnedBy(nftMarket.approver)]).toEqual([50, 15]);
  });

  it("have twelve traits per token, one of them unique", () => {
    const all = Array.from({ length: size.tokens }, (_, id) => traitsOf(id));
    expect(all.every((traits) => traits.length === 12)).toBe(true);
    expect(new Set(all.map((traits) => traits.find(({ trait_type: name }) => name === "Serial")?.value)).size).toBe(size.tokens);
    const outcomes = [...documentsOf(nftMarket, size.tokens)].map(({ text }) => parseDocument(text));
    // There are also ten small collections with 50 tokens each, and 50 editions.
    expect(outcomes.length).toBe(500 + 10 * 50 + 50);
    expect(
      outcomes.every((outcome) => outcome.ok && outcome.document.countedAttributes.length === 12 && outcome.document.refusal === null),
    ).toBe(true);
  });
});

describe("a small index of generated collections", () => {
  let testDatabase: TestDatabase;
  let result: BenchResult;
  let rows: Readonly<Record<string, number>>;
  let nonZeroAllowances: number | undefined;
  const cases = endpointCases(nftMarket, size);
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    await fillIndex(testDatabase.database, size);
    rows = await countRows(testDatabase.database);
    nonZeroAllowances = (
      await testDatabase.database.query<{ count: number }>("SELECT count(*) AS count FROM allowances WHERE amount > 0")
    )[0]?.count;
    await runPendingJobs(testDatabase.database, size);
    result = await serveCases(testDatabase.database, size, cases, 1, null);
  });
  afterAll(() => testDatabase?.drop());

  it("has the generated rows", () => {
    const [allowances, tokens] = [nftMarket.coins.length * 2, 500 + 10 * 50];
    expect(rows).toMatchObject({
      nft_tokens: tokens + 50,
      nft_metadata: tokens + 50,
      nft_attributes: (tokens + 50) * 12,
      nft_approvals: 15,
      // The marketplace, once per trader, and one operator per small collection.
      nft_operators: nftMarket.traders.length + 10,
      // One row per sold token.
      nft_sales: eventsOfKind("orderFulfilled").reduce(
        (sum, { offer, consideration }) => sum + countSold(offer) + countSold(consideration),
        0,
      ),
      // 8,760 answers in 750 blocks: the last one in each block.
      feed_answers: 750,
    });
    // Other rows are allowances of 0: the marketplace moved coins without an Approval event.
    expect(nonZeroAllowances).toBe(allowances);
  });

  it("returns items for every endpoint case", () => {
    expect(cases.map(({ row }) => row)).toEqual(Array.from({ length: 15 }, (_, index) => index + 7));
    expect(result.otherTables?.[0]?.length).toBe(cases.reduce((sum, { variants }) => sum + variants.length, 0));
  });
});
