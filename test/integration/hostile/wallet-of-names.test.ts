import { beforeAll, describe, expect, it } from "vitest";
import { addressOf, type FixtureIndex, openFixtureIndex, type Row, transactionRow } from "../domains/queries/fixture-index.ts";

/** Two wallets with 100 tokens each and one transfer of each: one with plain names, one with names that are the most expensive to classify. */
const count = 100;
const wallets = { plain: addressOf(0xaaa), hostile: addressOf(0xbbb) } as const;
type Kind = keyof typeof wallets;
const kinds: readonly Kind[] = ["plain", "hostile"];
const path = {
  balances_v2: (kind: Kind) => `/v1/hand/address/${wallets[kind]}/balances_v2/`,
  "balances_v2 without spam": (kind: Kind) => `/v1/hand/address/${wallets[kind]}/balances_v2/?no-spam=true`,
  transfers_v2: (kind: Kind) => `/v1/hand/address/${wallets[kind]}/transfers_v2/?page-size=100`,
  historical_balances: (kind: Kind) => `/v1/hand/address/${wallets[kind]}/historical_balances/?block-height=200`,
} as const;
let index: FixtureIndex;

/** Names have 200 characters, the stored maximum; every second one expands to the most letters without a space. */
const fillers = ["\ufdfa", "a-", "\u0301\u0316", "-", "(a(", "a", "\u{1f468}\u200d", "http:/", "a[dot", "\ufb03"];
const hostileName = (number: number): string => {
  const filler = (number % 2 === 0 ? undefined : fillers[number % fillers.length]) ?? "\u3316";
  const own = `${number} claim`;
  return [...filler.repeat(200)].slice(0, 200 - own.length).join("") + own;
};
const names: Readonly<Record<Kind, (number: number) => string>> = { plain: (number) => `Plain Coin ${number}`, hostile: hostileName };
const tokenOf = (kind: Kind, number: number) => addressOf((kind === "plain" ? 0x10000 : 0x20000) + number);

const fill = async (kind: Kind): Promise<void> => {
  const numbers = Array.from({ length: count }, (_, number) => number);
  // One transfer per block: plain names in odd blocks, hostile ones in even blocks.
  const blockOf = (number: number) => 2 * number + (kind === "plain" ? 1 : 2);
  const wallet = wallets[kind];
  await index.insert(
    "token_metadata",
    numbers.map((number): Row => {
      const name = names[kind](number);
      const symbol = kind === "plain" ? `P${number}` : name;
      return { chain_id: 7, address: tokenOf(kind, number), block_number: 0, name, symbol, decimals: 18, read_at_block: 0 };
    }),
  );
  await index.insert(
    "token_standards",
    numbers.map((number): Row => ({ chain_id: 7, address: tokenOf(kind, number), standard: 1, block_number: 0 })),
  );
  await index.insert(
    "transactions",
    numbers.map((number) => transactionRow(blockOf(number), 0, addressOf(0xd), tokenOf(kind, number))),
  );
  await index.insert(
    "transfers",
    numbers.map(
      (number): Row => ({
        chain_id: 7,
        block_number: blockOf(number),
        ordinal: 0,
        transaction_index: 0,
        log_index: 0,
        standard: 1,
        token: tokenOf(kind, number),
        from_address: addressOf(0xd),
        to_address: wallet,
        amount: "5",
      }),
    ),
  );
  await index.insert(
    "transfer_transactions",
    numbers.map((number): Row => ({ chain_id: 7, address: wallet, ordinal: number, block_number: blockOf(number), transaction_index: 0 })),
  );
  for (const number of numbers) await index.balances(wallet, tokenOf(kind, number), 1, { [blockOf(number)]: "5" });
};

beforeAll(async () => {
  index = await openFixtureIndex();
  await index.blocks(0, 400);
  for (const kind of kinds) await fill(kind);
  return index.end;
});

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
const timed = async (address: string): Promise<number> => {
  const start = performance.now();
  expect((await index.get(address)).status).toBe(200);
  return performance.now() - start;
};

describe("a wallet with 100 hostile names", () => {
  it("has all of them marked as spam", async () => {
    const { data } = await index.get(path.balances_v2("hostile"));
    const marks = (items: readonly { readonly native_token: boolean; readonly is_spam: boolean }[]) =>
      items.filter((item) => !item.native_token).map((item) => item.is_spam);
    expect(marks(data.items)).toEqual(Array.from({ length: count }, () => true));
    expect(marks((await index.get(path.balances_v2("plain"))).data.items)).toEqual(Array.from({ length: count }, () => false));
    expect(
      (await index.get(path["balances_v2 without spam"]("hostile"))).data.items.filter(
        (item: { native_token: boolean }) => !item.native_token,
      ),
    ).toEqual([]);
  });

  it.each(Object.entries(path))("takes at most 1.5 times as long in %s as one with 100 plain names", async (_, address) => {
    // The first answers fill caches; another test measures them.
    for (const kind of kinds) for (let time = 0; time < 3; time += 1) await timed(address(kind));
    let ratio = Number.POSITIVE_INFINITY;
    // Alternates, so that a busy machine slows down both; a ratio that is too high is measured again.
    for (let round = 0; round < 4 && ratio > 1.5; round += 1) {
      const times: Record<Kind, number[]> = { plain: [], hostile: [] };
      for (let time = 0; time < 21; time += 1) for (const kind of kinds) times[kind].push(await timed(address(kind)));
      ratio = median(times.hostile) / median(times.plain);
    }
    expect(ratio).toBeLessThanOrEqual(1.5);
  });

  it("is answered within 250 ms when its names are not cached", async () => {
    // 100 plain names take about 10 ms; the hostile ones once took 9.5 s. A busy machine may interrupt one measurement, hardly three.
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 3 && best >= 250; round += 1) best = Math.min(best, await firstAnswer(round));
    expect(best).toBeLessThan(250);
  });

  /** Returns the milliseconds of the first answer with names that this process has not cached. */
  async function firstAnswer(round: number): Promise<number> {
    const other = await openFixtureIndex();
    const names = Array.from({ length: count }, (_, number) => `${"\u3316".repeat(196)}${round}${String(number).padStart(3, "0")}`);
    await other.blocks(0, 10);
    await other.insert(
      "token_metadata",
      names.map((name, number) => ({
        chain_id: 7,
        address: addressOf(0x30000 + number),
        block_number: 0,
        name,
        symbol: name,
        decimals: 18,
        read_at_block: 0,
      })),
    );
    for (const number of names.keys()) await other.balances(wallets.hostile, addressOf(0x30000 + number), 1, { 1: "5" });
    const elsewhere = `/v1/hand/address/${wallets.plain}/balances_v2/`;
    // Requests for another wallet warm up statements, routes and connections.
    for (let time = 0; time < 5; time += 1) await other.get(elsewhere);
    const start = performance.now();
    expect((await other.get(`/v1/hand/address/${wallets.hostile}/balances_v2/`)).data.items).toHaveLength(count);
    const milliseconds = performance.now() - start;
    await other.end();
    return milliseconds;
  }
});
