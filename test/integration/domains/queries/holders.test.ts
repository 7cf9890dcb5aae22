import { beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { createTokenQueries } from "../../../../runtime/domains/tokens/queries/index.ts";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, timeOf } from "./fixture-index.ts";

/**
 * 400 blocks, four per day from 2026-01-01; a token whose largest balance changes in every block, and the balances of whose 60 other holders
 * change occasionally.
 */
const [coin, art, late] = [1, 2, 3].map(addressOf) as [string, string, string];
const head = 399;
const random = createRandom("holders");
const [minWhaleBalance, otherOwnerCount] = [1_000, 60];
const holdings = new Map<string, Record<number, string>>();
let index: FixtureIndex;

/** Ranks all holders after a block by a full scan. */
const expectedAt = (block: number): [string, string][] =>
  [...holdings]
    .flatMap(([owner, from]): [string, string][] => {
      const since = Object.keys(from).map(Number);
      const last = Math.max(...since.filter((start) => start <= block));
      const balance = from[last];
      return balance === undefined || balance === "0" ? [] : [[owner, balance]];
    })
    .sort(([left, a], [right, b]) => Number(b) - Number(a) || (left < right ? -1 : 1));

const get = (query: string, token = coin) => index.get(`/v1/fixture/tokens/${token}/token_holders_v2/?${query}`);
const pairs = (data: Data): [string, string][] => data.items.map((item: Data) => [item.address, item.balance]);

beforeAll(async () => {
  index = await openFixtureIndex({ now: () => new Date(timeOf(head)) });
  await index.insertBlocks(0, head);
  const whale: Record<number, string> = {};
  for (let block = 1; block <= head; block += 1) whale[block] = String(minWhaleBalance + random.between(0, 500));
  holdings.set(addressOf(0x900), whale);
  for (let owner = 0; owner < otherOwnerCount; owner += 1) {
    const from: Record<number, string> = {};
    // Few distinct amounts, including 0, to make many of them equal.
    for (let change = random.between(1, 6); change > 0; change -= 1) from[random.between(1, head - 1)] = String(random.between(0, 9));
    holdings.set(addressOf(0x100 + owner), from);
  }
  for (const [owner, from] of holdings) await index.insertBalances(owner, coin, 1, from);
  await index.insert("token_standards", [
    { chain_id: 7, address: coin, standard: 1, block_number: 1 },
    { chain_id: 7, address: art, standard: 2, block_number: 10 },
    { chain_id: 7, address: late, standard: 3, block_number: 20 },
  ]);
  const counts = Array.from({ length: head }, (_, position) => position + 1).map((block) => ({
    chain_id: 7,
    token: coin,
    standard: 1,
    block_number: block,
    holders: expectedAt(block).length,
  }));
  await index.insert("holder_counts", counts);
  const supplies = counts.map(({ holders, ...key }) => ({
    ...key,
    supply: String(expectedAt(key.block_number).reduce((sum, [, balance]) => sum + Number(balance), 0)),
  }));
  await index.insert("token_supplies", supplies);
  await index.insertBalances(addressOf(0x51), art, 2, { 10: "2", 30: "1" });
  await index.insertBalances(addressOf(0x52), art, 2, { 30: "1" });
  await index.insert("holder_counts", [
    { chain_id: 7, token: art, standard: 2, block_number: 10, holders: 1 },
    { chain_id: 7, token: art, standard: 2, block_number: 30, holders: 2 },
  ]);
  await index.insert("token_supplies", [{ chain_id: 7, token: art, standard: 2, block_number: 10, supply: "2" }]);
  return index.end;
});

describe("holders of a token", () => {
  it("are listed by balance, then by address, now and after any block", async () => {
    for (const block of [0, 1, 2, 7, 63, 64, 65, 128, 200, 255, 256, 300, 396, 397, 398, 399]) {
      const { data } = await get(`block-height=${block}`);
      expect(pairs(data), `block ${block}`).toEqual(expectedAt(block));
      expect(data.pagination).toMatchObject({ has_more: false, total_count: expectedAt(block).length });
      expect(data.items.every((item: Data) => item.block_height === block)).toBe(true);
    }
    expect(pairs((await get("")).data)).toEqual(expectedAt(head));
  });

  it("are paged without gaps or duplicates, at any depth", async () => {
    const tokens = createTokenQueries(index.database);
    for (const block of [100, 350, head]) {
      const expected = expectedAt(block);
      for (const size of [1, 7, 50]) {
        // If the total is known, the pages in the second half are read from the end.
        for (const [total, isLastBlock] of [
          [null, false],
          [expected.length, false],
          [null, block === head],
          [expected.length, block === head],
        ] as const) {
          const rows = [];
          for (let offset = 0; offset < expected.length + size; offset += size) {
            rows.push(...(await tokens.holdersAt(7, coin as `0x${string}`, 1, block, { limit: size, offset, total, isLastBlock })));
          }
          expect(rows.map(({ owner, balance }) => [owner, balance])).toEqual(expected);
        }
      }
    }
  });

  it("are read together with the totals on the first pages", async () => {
    const tokens = createTokenQueries(index.database);
    const expected = expectedAt(head);
    for (const size of [1, 7, 500]) {
      const rows = [];
      for (let offset = 0; offset < expected.length + size; offset += size) {
        const page = await tokens.topHolders(7, coin as `0x${string}`, 1, head, { limit: size, offset });
        expect(page.totals).toMatchObject({ holders: expected.length, source: "events" });
        rows.push(...page.rows);
      }
      expect(rows.map(({ owner, balance }) => [owner, balance])).toEqual(expected);
    }
    // The collection has two holders since block 30 and a supply of 2. A token without transfers has no totals.
    const nft = await tokens.topHolders(7, art as `0x${string}`, 2, head, { limit: 10, offset: 0 });
    expect(nft.totals).toEqual({ holders: 2, supply: "2", source: "events" });
    const unknown = await tokens.topHolders(7, addressOf(0x9999) as `0x${string}`, 1, head, { limit: 10, offset: 0 });
    expect(unknown).toEqual({ rows: [], totals: null });
  });

  it("are found regardless of the spread of past balances and of later changes", async () => {
    const token = addressOf(0x4444) as `0x${string}`;
    // Owner k held 10^k from block 10 to 19, and three other owners held equal amounts; then all held 0, and five others received 1 to 5.
    const owners = Array.from({ length: 77 }, (_, power) => [addressOf(0x5000 + power), `1${"0".repeat(power)}`] as const);
    const equals = [0, 40, 76].map((power) => [addressOf(0x6000 + power), `1${"0".repeat(power)}`] as const);
    for (const [owner, balance] of [...owners, ...equals]) await index.insertBalances(owner, token, 1, { 10: balance, 20: "0" });
    for (let owner = 1; owner <= 5; owner += 1) await index.insertBalances(addressOf(0x7000 + owner), token, 1, { 30: String(owner) });
    const expected = [...owners, ...equals].sort(
      ([left, a], [right, b]) => Number(BigInt(b) > BigInt(a)) - Number(BigInt(b) < BigInt(a)) || (left < right ? -1 : 1),
    );
    const tokens = createTokenQueries(index.database);
    for (const size of [1, 3, 100]) {
      for (const total of [null, expected.length]) {
        const rows = [];
        for (let offset = 0; offset < expected.length; offset += size) {
          rows.push(...(await tokens.holdersAt(7, token, 1, 15, { limit: size, offset, total })));
        }
        expect(rows.map(({ owner, balance }) => [owner, balance])).toEqual(expected);
      }
    }
  });

  it("are listed as of a requested day's last block", async () => {
    // 2026-01-11 has blocks 40 to 43.
    expect(pairs((await get("date=2026-01-11")).data)).toEqual(expectedAt(43));
  });

  it("are returned with the total supply", async () => {
    const { data } = await get("block-height=200");
    const sum = expectedAt(200).reduce((total, [, balance]) => total + Number(balance), 0);
    expect(new Set(data.items.map((item: Data) => item.total_supply))).toEqual(new Set([String(sum)]));
  });

  it("are listed with their token counts for a collection", async () => {
    const current = (await get("", art)).data;
    expect(pairs(current)).toEqual([
      [addressOf(0x51), "1"],
      [addressOf(0x52), "1"],
    ]);
    expect(pairs((await get("block-height=29", art)).data)).toEqual([[addressOf(0x51), "2"]]);
    expect((await get("block-height=9", art)).data).toMatchObject({ items: [], pagination: { total_count: 0, has_more: false } });
  });

  it("are empty for a token without holders; contracts without transfers and the native token return 404", async () => {
    expect((await get("", late)).data.items).toEqual([]);
    for (const unknown of [addressOf(0x77), "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"]) {
      expect((await get("", unknown)).status).toBe(404);
    }
  });

  it("are refused at blocks that are not indexed", async () => {
    expect((await get(`block-height=${head + 1}`)).message).toContain("from 0 to 399");
    expect((await get("date=2025-12-31")).message).toContain("on or after 2026-01-01");
    expect((await get("page-size=50")).status).toBe(400);
  });

  it("are pinned to one block while balances change", async () => {
    const growing = await openFixtureIndex();
    const token = addressOf(0x99);
    const [size, ownerCount] = [100, 250];
    await growing.insertBlocks(0, 10);
    await growing.insert("token_standards", [{ chain_id: 7, address: token, standard: 1, block_number: 1 }]);
    await growing.insert("holder_counts", [{ chain_id: 7, token, standard: 1, block_number: 5, holders: ownerCount }]);
    for (let owner = 0; owner < ownerCount; owner += 1)
      await growing.insertBalances(addressOf(0x1000 + owner), token, 1, { 5: String(1_000 - owner) });
    const page = async (number: number) =>
      (await growing.get(`/v1/fixture/tokens/${token}/token_holders_v2/?page-size=${size}&page-number=${number}`)).data;
    const listed = pairs(await page(0));
    for (const number of [1, 2]) {
      // The order of the holders is reversed, and a new holder becomes the first.
      const block = 10 + number;
      await growing.insertBlocks(block, block);
      await growing.database.query(
        `INSERT INTO balance_periods SELECT chain_id, owner, token, standard, since_block, $1 - 1, CASE since_block WHEN 5 THEN 8 ELSE since_block END, balance FROM balances WHERE token = $2 AND standard = 1`,
        [block, Buffer.from(token.slice(2), "hex")],
      );
      await growing.database.query("UPDATE balances SET balance = 2000 - balance, since_block = $1 WHERE token = $2", [
        block,
        Buffer.from(token.slice(2), "hex"),
      ]);
      await growing.insertBalances(addressOf(0x5000 + number), token, 1, { [block]: "9000" });
      const data = await page(number);
      expect(data.pagination).toMatchObject({ total_count: ownerCount, has_more: number < 2 });
      expect(data.items.every((item: Data) => item.block_height === 10)).toBe(true);
      listed.push(...pairs(data));
    }
    expect(listed).toEqual(Array.from({ length: ownerCount }, (_, owner) => [addressOf(0x1000 + owner), String(1_000 - owner)]));
    await growing.end();
  });
});
