import type { Hex } from "../../../../../runtime/lib/hex.ts";
import { insertPrices, perUnit } from "../../prices/price-rows.ts";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, type Row, transactionRow } from "../../queries/fixture-index.ts";

/** Blocks are six hours apart; the clock and the prices are in the hour of block 40. */
const now = new Date("2026-01-11T00:00:00Z");
/** The wallet that approves, and an account that sends transactions for it. */
export const wallet = addressOf(0xabc);
const relayer = addressOf(0x1e1);
/** The accounts that are approved. */
export const [first, second, third] = [addressOf(0x51), addressOf(0x52), addressOf(0x53)];
/** The ERC-20 tokens. */
export const coins = {
  expensive: addressOf(0xc1),
  cheap: addressOf(0xc2),
  unpriced: addressOf(0xc3),
  unindexed: addressOf(0xc4),
  spam: addressOf(0xc5),
  wrapped: addressOf(0xc6),
  unknown: addressOf(0xc7),
  emptied: addressOf(0xc8),
};
/** The collections. */
export const cards = { plain: addressOf(0xd1), editions: addressOf(0xd2), unindexed: addressOf(0xd3), spam: addressOf(0xd4) };
/** The largest uint256. */
export const maxAmount = (2n ** 256n - 1n).toString();
/** The index that is served. */
export let index: FixtureIndex;

/** An approval's position: in transaction 0 of a block, sent by the wallet, or in transaction 1, sent by the relayer. */
export const positionIn = (block: number, isOwn = true) => ({ transaction_index: isOwn ? 0 : 1, log_index: block * 10 });
/** An allowance row. */
export const allowance = (token: Hex, spender: Hex, amount: string, block = 5, isOwn = true): Row => ({
  chain_id: 7,
  owner: wallet,
  token,
  spender,
  since_block: block,
  approved_block: block,
  ...positionIn(block, isOwn),
  amount,
});
const standard = (address: Hex, number: number): Row => ({ chain_id: 7, address, standard: number, block_number: 1 });
const metadata = (address: Hex, name: string, symbol: string, decimals: number | null): Row => ({
  chain_id: 7,
  address,
  block_number: 1,
  read_at_block: 1,
  name,
  symbol,
  decimals,
});

/** The items of a successful response. */
export const itemsOf = async (path = `approvals/${wallet}/`): Promise<Data[]> => {
  const { status, data, message } = await index.get(`/v1/fixture/${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
  return data.items;
};
/** Replaces all allowance rows. */
export const replaceAllowances = async (...rows: Row[]) => {
  await index.database.query("DELETE FROM allowances");
  await index.insert("allowances", rows);
};

/** Opens the index with its rows. */
export const setUp = async () => {
  index = await openFixtureIndex({ now: () => now, responseRows: 600 });
  await index.insertBlocks(0, 40);
  const blocks = [3, 4, 5, 6, 7, 8, 9];
  await index.insert(
    "transactions",
    blocks.flatMap((block) => [transactionRow(block, 0, wallet, first), transactionRow(block, 1, relayer, first)]),
  );
  await index.insert("token_standards", [
    ...[coins.expensive, coins.cheap, coins.unpriced, coins.spam, coins.unknown, coins.emptied].map((coin) => standard(coin, 1)),
    standard(cards.plain, 2),
    standard(cards.editions, 3),
    standard(cards.spam, 2),
  ]);
  await index.insert("token_metadata", [
    metadata(coins.expensive, "Dear", "DEAR", 18),
    metadata(coins.cheap, "Cheap", "CHEAP", 6),
    metadata(coins.spam, "Visit https://free-coins.example to claim", "CLAIM", 18),
    metadata(cards.plain, "=HYPERLINK(1)", "=CARD", null),
    metadata(cards.spam, "Visit https://free-cards.example to claim", "CLAIM", null),
  ]);
  // 1.5 tokens at 2,000 each, and 40 at 0.01 each.
  await index.insertBalances(wallet, coins.expensive, 1, { 3: "1500000000000000000" });
  await index.insertBalances(wallet, coins.cheap, 1, { 3: "40000000" });
  await index.insertBalances(wallet, coins.unpriced, 1, { 3: "9" });
  await index.insertBalances(wallet, coins.unknown, 1, { 3: null });
  await insertPrices(index.database, 7, [
    { asset: coins.expensive, time: now.getTime() / 1000, close: perUnit("2000", 18) },
    { asset: coins.cheap, time: now.getTime() / 1000, close: perUnit("0.01", 6) },
  ]);
};

/** Closes the index. */
export const tearDown = () => index?.end();
