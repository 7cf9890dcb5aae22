import { currencyAsset } from "../../../../runtime/domains/prices/engine/assets.ts";
import { type Hex, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { addressOf, type FixtureIndex, openFixtureIndex, type Row, transactionRow } from "../queries/fixture-index.ts";
import { insertPrices, type PriceRow, perUnit } from "./price-rows.ts";

/**
 * Blocks 0 to 11, at 00:00, 06:00, 12:00 and 18:00 of 2026-01-01, -02 and -03. The current time is 18:30 on the last day: 24 hours ago was half
 * an hour after block 7.
 */
const head = 11;
const now = () => new Date("2026-01-03T18:30:00Z");
export const wallet = addressOf(0xabc);
export const other = addressOf(0xdef);
/** A token with 6 decimals, whose price is unknown from the morning of the last day. */
export const coin: Hex = addressOf(1);
/** Tokens by their decimals, with a price. */
export const [zeroDecimals, manyDecimals, unknownDecimals] = [2, 3, 4].map(addressOf) as [Hex, Hex, Hex];
/** A token without a price. */
export const unpriced: Hex = addressOf(5);
/** An ERC-20 token with 1 decimal whose contract also has ERC-721 tokens. */
export const hybrid: Hex = addressOf(10);
/** Tokens with 18 decimals and a price of 1 dollar, of which the wallet holds slightly less than 10 cents, the limit of dust, and 10 cents. */
export const [nineCents, tenCents] = [6, 7].map(addressOf) as [Hex, Hex];
/** A collection with an invented price. */
export const collection: Hex = addressOf(8);
/** A token with prices, but without other indexed data. */
export const unindexed: Hex = addressOf(9);
export const native = nativeTokenAddress;

const seconds = (time: string): number => Date.parse(time) / 1000;
const priceRowsOf = (asset: Hex, decimals: number, closes: Readonly<Record<string, string | null>>): PriceRow[] =>
  Object.entries(closes).map(([time, price]) => ({
    asset,
    time: seconds(`2026-01-${time}:00Z`),
    close: price === null ? null : perUnit(price, decimals),
  }));

/** Dollars per whole token, by day and hour of the change. */
const prices: PriceRow[] = [
  ...priceRowsOf(native, 18, { "01T00:00": "2000", "02T06:15": "2100.5", "02T20:00": "2222", "03T18:10": "1999.99" }),
  ...priceRowsOf(coin, 6, { "01T00:00": "1.25", "02T06:00": "1.5", "03T06:00": null }),
  ...priceRowsOf(zeroDecimals, 0, { "01T00:00": "12.5" }),
  ...priceRowsOf(manyDecimals, 36, { "01T00:00": "0.5" }),
  // The price per smallest unit, because the decimals are unknown.
  ...priceRowsOf(unknownDecimals, 0, { "01T00:00": "0.001" }),
  ...priceRowsOf(nineCents, 18, { "01T00:00": "1" }),
  ...priceRowsOf(tenCents, 18, { "01T00:00": "1" }),
  ...priceRowsOf(hybrid, 1, { "01T00:00": "3" }),
  ...priceRowsOf(collection, 0, { "01T00:00": "1000" }),
  { asset: unindexed, time: seconds("2025-06-30T12:00:00Z"), close: perUnit("7", 18) },
  ...priceRowsOf(currencyAsset("EUR"), 0, { "01T00:00": "1.6", "02T00:00": "1.25" }),
  ...priceRowsOf(currencyAsset("JPY"), 0, { "01T00:00": "0.0064" }),
];

const balances: Readonly<Record<Hex, readonly [standard: number, after: Readonly<Record<number, string>>]>> = {
  [native]: [0, { 0: "1000000000000000000", 5: "2500000000000000000", 9: "1500000000000000000" }],
  [coin]: [1, { 2: "4000000", 6: "10000000" }],
  [zeroDecimals]: [1, { 1: "3" }],
  [manyDecimals]: [1, { 1: `3${"0".repeat(36)}` }],
  [unknownDecimals]: [1, { 1: "123456" }],
  [unpriced]: [1, { 1: "6", 6: "5" }],
  [nineCents]: [1, { 1: `99${"0".repeat(15)}` }],
  [tenCents]: [1, { 1: `100${"0".repeat(15)}` }],
  [collection]: [2, { 1: "2" }],
  [hybrid]: [1, { 1: "25" }],
};

/** Fees in wei: 21,000 gas at 2 gwei, without and with the L1 fee of the transaction in block 6. */
const [fee, feeWithL1] = [42_000_000_000_000n, 52_000_000_000_000n];

const transactions: readonly Row[] = [
  { ...transactionRow(2, 0, wallet, other), value: "500000000000000000" },
  { ...transactionRow(3, 0, wallet, other), value: "0" },
  { ...transactionRow(6, 0, wallet, coin), value: "0", input: "0xa9059cbb", l1_fee: String(feeWithL1 - fee) },
  transactionRow(10, 0, wallet, other),
];
const sums: readonly (readonly [block: number, count: number, paid: bigint])[] = [
  [2, 1, fee],
  [3, 2, 2n * fee],
  [6, 3, 2n * fee + feeWithL1],
  [10, 4, 3n * fee + feeWithL1],
];

/** The wallet received 4 coins in block 2, and 7 in block 6, and sent one of them; in block 6 it also sent a smallest unit of `unpriced`. */
const transfers: readonly Row[] = (
  [
    [2, 0, coin, other, wallet, "4000000", "4000000"],
    [6, 0, coin, other, wallet, "7000000", "11000000"],
    [6, 1, coin, wallet, other, "1000000", "10000000"],
    [6, 2, unpriced, wallet, other, "1", "5"],
  ] as const
).map(([block_number, ordinal, token, from_address, to_address, amount, balance]) => ({
  chain_id: 7,
  block_number,
  ordinal,
  transaction_index: 0,
  log_index: ordinal,
  standard: 1,
  token,
  from_address,
  to_address,
  amount,
  from_balance: from_address === wallet ? balance : null,
  to_balance: to_address === wallet ? balance : null,
}));

/** Opens an index of the wallet with these prices. */
export async function openQuotedIndex({ responseRows = 100 } = {}): Promise<FixtureIndex> {
  const index = await openFixtureIndex({ responseRows, now });
  const { insert } = index;
  await index.insertBlocks(0, head, { 2: 1, 3: 1, 6: 1, 10: 1 });
  for (const [token, [standard, after]] of Object.entries(balances)) await index.insertBalances(wallet, token, standard, after);
  await index.insertBalances(wallet, hybrid, 2, { 1: "4" });
  await index.insertBalances(other, coin, 1, { 1: "1" });
  const token = (address: Hex, decimals: number | null): Row => ({ chain_id: 7, address, block_number: 0, decimals, read_at_block: 0 });
  await insert("token_metadata", [
    token(coin, 6),
    token(zeroDecimals, 0),
    token(manyDecimals, 36),
    token(unknownDecimals, null),
    token(unpriced, 18),
  ]);
  await insert("token_metadata", [token(nineCents, 18), token(tenCents, 18), token(hybrid, 1)]);
  const standard = (address: Hex, number: number): Row => ({ chain_id: 7, address, standard: number, block_number: 0 });
  await insert("token_standards", [
    ...[coin, zeroDecimals, manyDecimals, unknownDecimals, unpriced, nineCents, tenCents].map((address) => standard(address, 1)),
    standard(collection, 2),
  ]);
  await insert("transactions", transactions);
  const positionsIn = (blocks: readonly number[]) =>
    blocks.map((block_number, ordinal) => ({ chain_id: 7, address: wallet, ordinal, block_number, transaction_index: 0 }));
  await insert("address_transactions", positionsIn([2, 3, 6, 10]));
  await insert("transfers", transfers);
  await insert("transfer_transactions", positionsIn([2, 6]));
  await insert(
    "address_fees",
    sums.map(([block_number, sent_count, paid]) => ({ chain_id: 7, address: wallet, block_number, sent_count, fees_paid: String(paid) })),
  );
  await insertPrices(index.database, 7, prices);
  return index;
}
