import { beforeAll, describe, expect, it } from "vitest";
import { createCounterpartyQueries } from "../../../../runtime/domains/tokens/queries/counterparty.ts";
import type { Hex } from "../../../../runtime/lib/hex.ts";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, type Row, transactionRow, wordOf } from "./fixture-index.ts";

/**
 * The wallet sends 10 of a token to a friend in block 1 and native value to a bank in block 2. Blocks 3 to 7 have one transfer of zero each: from
 * a lookalike of the friend (3), to a lookalike of the bank (4), to an unknown address in the wallet's name (5), to an unknown address by the
 * wallet itself (6), and from an unknown address (7). The friend's lookalike sends dust in block 8 and zero again in block 9; in block 10 the
 * friend sends 1.
 */
const wallet = addressOf(0xabc);
const friend: Hex = `0x1234${"1".repeat(32)}5678`;
const lookalike: Hex = `0x1234${"2".repeat(32)}5678`;
const bank: Hex = `0xbbbb${"1".repeat(32)}cccc`;
const bankLookalike: Hex = `0xbbbb${"2".repeat(32)}cccc`;
const [unknownAddress, attacker, token] = [addressOf(0x57), addressOf(0xbad), addressOf(0xa)];
const [gift, notBulk, plainName, fewTransfers] = [addressOf(0x61), addressOf(0x62), addressOf(0x63), addressOf(0x64)];
let index: FixtureIndex;

const transfer = (block: number, from: Hex, to: Hex, amount: number): Row => ({
  chain_id: 7,
  block_number: block,
  ordinal: 0,
  transaction_index: 0,
  log_index: 0,
  standard: 1,
  token,
  from_address: from,
  to_address: to,
  amount: String(amount),
});
/** Returns `logsPerBlock` Transfer logs in the first transaction of each of `blockCount` blocks. */
const logs = (address: Hex, blockCount: number, logsPerBlock: number): Row[] =>
  Array.from({ length: blockCount }, (_, position) => position + 11).flatMap((block) =>
    Array.from({ length: logsPerBlock }, (_, position) => ({
      chain_id: 7,
      block_number: block,
      // Log indexes must differ between tokens.
      log_index: Number(BigInt(address)) * 1_000 + position,
      transaction_index: 0,
      address,
      topic0: wordOf(1),
      data: "0x",
    })),
  );

beforeAll(async () => {
  index = await openFixtureIndex();
  await index.insertBlocks(0, 400);
  const native = { ...transactionRow(2, 0, wallet, bank), value: "5" };
  const tokenTransaction = (block: number, from: Hex) => ({ ...transactionRow(block, 0, from, token), value: "0" });
  await index.insert("transactions", [
    tokenTransaction(1, wallet),
    native,
    ...[3, 4, 5].map((block) => tokenTransaction(block, attacker)),
    tokenTransaction(6, wallet),
    ...[7, 8, 9].map((block) => tokenTransaction(block, attacker)),
    tokenTransaction(10, friend),
  ]);
  await index.insert("address_transactions", [
    { chain_id: 7, address: wallet, ordinal: 0, block_number: 1, transaction_index: 0 },
    { chain_id: 7, address: wallet, ordinal: 1, block_number: 2, transaction_index: 0 },
    { chain_id: 7, address: wallet, ordinal: 2, block_number: 6, transaction_index: 0 },
  ]);
  const transfers = [
    transfer(1, wallet, friend, 10),
    transfer(3, lookalike, wallet, 0),
    transfer(4, wallet, bankLookalike, 0),
    transfer(5, wallet, unknownAddress, 0),
    transfer(6, wallet, unknownAddress, 0),
    transfer(7, unknownAddress, wallet, 0),
    transfer(8, lookalike, wallet, 1),
    transfer(9, lookalike, wallet, 0),
    transfer(10, friend, wallet, 1),
  ];
  await index.insert("transfers", transfers);
  await index.insert(
    "transfer_transactions",
    transfers.map(({ block_number }, ordinal) => ({
      chain_id: 7,
      address: wallet,
      ordinal,
      block_number: block_number ?? 0,
      transaction_index: 0,
    })),
  );
  const metadataRow = (address: Hex, name: string): Row => ({
    chain_id: 7,
    address,
    block_number: 0,
    name,
    symbol: "S",
    decimals: 18,
    read_at_block: 0,
  });
  await index.insert("token_metadata", [
    metadataRow(gift, "Lucky Gift"),
    metadataRow(notBulk, "Free Ross"),
    metadataRow(plainName, "Plain Coin"),
    metadataRow(fewTransfers, "Winner"),
  ]);
  // 200 logs in 4 transactions; 200 in 200; 200 in 4 with an ordinary name; 100 in 2.
  await index.insert("logs", [...logs(gift, 4, 50), ...logs(notBulk, 200, 1), ...logs(plainName, 4, 50), ...logs(fewTransfers, 2, 50)]);
  for (const token of [gift, notBulk, plainName, fewTransfers]) await index.insertBalances(wallet, token, 1, { 20: "1" });
  return index.end;
});

describe("transfers of zero", () => {
  const path = `/v1/fixture/address/${wallet}/transfers_v2/`;
  const marksOf = ({ items }: Data) =>
    Object.fromEntries(items.map((item: Data) => [item.block_height, item.transfers.map((entry: Data) => entry.is_poisoning)]));

  it("are poisoning if they imitate a counterparty, even after dust, or are sent in the wallet's name to an unknown address", async () => {
    const { data } = await index.get(path);
    expect(marksOf(data)).toEqual({
      1: [false],
      3: [true],
      4: [true],
      5: [true],
      6: [false],
      7: [false],
      8: [false],
      9: [true],
      10: [false],
    });
  });

  it("have the same marks on any page", async () => {
    const pages = await Promise.all([0, 1, 2, 3, 4].map((page) => index.get(`${path}?page-size=2&page-number=${page}`)));
    const { data } = await index.get(path);
    expect(Object.assign({}, ...pages.map((page) => marksOf(page.data)))).toEqual(marksOf(data));
  });

  it("are classified by the newest counterparties up to a limit", async () => {
    const { counterparties } = createCounterpartyQueries(index.database);
    const sort = (rows: readonly { readonly address: string }[]) =>
      [...rows].sort((left, right) => (left.address < right.address ? -1 : 1));
    expect(sort(await counterparties(7, wallet, 9, 100))).toEqual([
      { address: friend, since: 1, sentSince: 1 },
      { address: lookalike, since: 8, sentSince: null },
      { address: bank, since: 2, sentSince: 2 },
    ]);
    // The newest two transfers move dust and zero; the wallet's newest two transactions include the native payment in block 2.
    expect(sort(await counterparties(7, wallet, 9, 2))).toEqual([
      { address: lookalike, since: 8, sentSince: null },
      { address: bank, since: 2, sentSince: 2 },
    ]);
  });
});

describe("a token that was distributed in bulk", () => {
  it("is spam if its name also matches the rules", async () => {
    const { data } = await index.get(`/v1/fixture/address/${wallet}/balances_v2/`);
    const spam = Object.fromEntries(data.items.map((item: Data) => [item.contract_address, item.is_spam]));
    expect(spam).toEqual({ [gift]: true, [notBulk]: false, [plainName]: false, [fewTransfers]: false });
    const withoutSpam = await index.get(`/v1/fixture/address/${wallet}/balances_v2/?no-spam=true`);
    expect(withoutSpam.data.items.map((item: Data) => item.contract_address)).not.toContain(gift);
    const past = await index.get(`/v1/fixture/address/${wallet}/historical_balances/?block-height=30`);
    expect(past.data.items.filter((item: Data) => item.is_spam)).toHaveLength(1);
  });

  it("is recognised if its first logs are in few transactions", async () => {
    const { airdroppedTokens } = createCounterpartyQueries(index.database);
    const all = [gift, notBulk, plainName, fewTransfers];
    expect(await airdroppedTokens(7, all, { transfers: 200, perTransaction: 20 })).toEqual(new Set([gift, plainName]));
    expect(await airdroppedTokens(7, all, { transfers: 100, perTransaction: 50 })).toEqual(new Set([gift, plainName, fewTransfers]));
    expect(await airdroppedTokens(7, all, { transfers: 100, perTransaction: 51 })).toEqual(new Set());
  });
});
