import type { ChainTransaction } from "../../../../runtime/chain/types.ts";
import { salesProjection } from "../../../../runtime/domains/nft-sales/projection/index.ts";
import type { DecodedBlock, DecodedEvent, EventPosition, OrderFulfilled, OrderItem } from "../../../../runtime/events/decoded-block.ts";
import type { ChainFacts, Row } from "../../../../runtime/indexer/projection.ts";
import { createState, keyText } from "../../../../runtime/indexer/state/state.ts";
import { type Address, type Hash, zeroAddress } from "../../../../runtime/lib/hex.ts";

/** An address that repeats one digit. */
const account = (digit: string): Address => `0x${digit.repeat(40)}`;
export const [anna, ben, cleo, router] = ["a", "b", "c", "d"].map(account) as [Address, Address, Address, Address];
export const [market, paintings, editions, weth] = ["1", "2", "3", "4"].map(account) as [Address, Address, Address, Address];

type WithoutPosition<Event> = Event extends DecodedEvent ? Omit<Event, "address" | "logIndex" | "transactionIndex"> : never;
/** An event without its log index, which `blockOf` assigns by its position in the list. It is in transaction 0 by default. */
export type EmittedEvent = { readonly address: Address; readonly transactionIndex?: number } & WithoutPosition<DecodedEvent>;

export const token = (collection: Address, tokenId: bigint, amount = 1n): OrderItem => ({
  kind: "token",
  token: collection,
  tokenId,
  amount,
});
export const payment = (amount: bigint, currency: Address = zeroAddress): OrderItem => ({
  kind: "payment",
  token: currency,
  tokenId: 0n,
  amount,
});

/** A fulfilled order with its consideration paid to the offerer. */
export const fulfilledOrder = (
  offerer: Address,
  recipient: Address,
  offer: readonly OrderItem[],
  consideration: readonly OrderItem[],
  { orderHash = "0x01", address = market }: { readonly orderHash?: Hash; readonly address?: Address } = {},
): EmittedEvent => ({
  kind: "orderFulfilled",
  address,
  orderHash,
  offerer,
  recipient,
  offer,
  consideration: consideration.map((item): OrderFulfilled["consideration"][number] => ({ ...item, recipient: offerer })),
});
export const tokenTransfer = (from: Address, to: Address, tokenId: bigint): EmittedEvent => ({
  kind: "erc721Transfer",
  address: paintings,
  from,
  to,
  tokenId,
});
export const unitTransfer = (from: Address, to: Address, tokenId: bigint, amount: bigint): EmittedEvent => ({
  kind: "erc1155Transfer",
  address: editions,
  operator: market,
  from,
  to,
  items: [{ tokenId, amount }],
});
/** The events of a sold token in the collection `paintings`. */
export const paintingSale = (from: Address, to: Address, tokenId: bigint, price = 100n): EmittedEvent[] => [
  tokenTransfer(from, to, tokenId),
  fulfilledOrder(from, to, [token(paintings, tokenId)], [payment(price)]),
];
export const unitSale = (from: Address, to: Address, tokenId: bigint, amount: bigint, price = 100n): EmittedEvent[] => [
  unitTransfer(from, to, tokenId, amount),
  fulfilledOrder(from, to, [token(editions, tokenId, amount)], [payment(price)]),
];

/** A block at noon of a UTC day (days since 1970); anna sends its transactions. */
export const blockOf = (number: number, day: number, emitted: readonly EmittedEvent[]): DecodedBlock => {
  const transactions = [0, 1, 2].map((index) => ({ index, from: anna }) as ChainTransaction);
  const events = emitted.map((event, logIndex) => ({ transactionIndex: 0, logIndex, ...event }) as EventPosition as DecodedEvent);
  return { block: { number, timestamp: day * 86_400 + 43_200, transactions } as unknown as DecodedBlock["block"], events };
};

type Rows = Record<"nft_sales" | "nft_sale_marks" | "nft_market_days" | "nft_market_day_periods" | "nft_bids", Row[]>;
const facts: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting: "none", wrappedNative: new Set([weth]) };

/** Returns the state that the database would load from these rows. */
const stateOf = (rows: Rows, blocks: readonly DecodedBlock[]) =>
  createState(
    Object.fromEntries(
      Object.entries(salesProjection.keysToLoad(blocks, facts)).map(([name, keys]) => {
        const load = salesProjection.loads[name];
        if (load === undefined) throw new Error(`Unknown load ${name}`);
        const columns = Object.keys(load.key);
        const loaded = [...keys.values()].flatMap((key): [string, Row][] => {
          const candidates = rows[load.table as keyof Rows].filter(
            (row) => keyText(columns.map((column) => String(row[column]))) === keyText(key),
          );
          const last = candidates
            .sort((left, right) => Number(left[load.newestBy ?? "since_block"]) - Number(right[load.newestBy ?? "since_block"]))
            .at(-1);
          return last === undefined ? [] : [[keyText(key), last]];
        });
        return [name, new Map(loaded)];
      }),
    ),
  );

/** Folds blocks in batches of a given size, each based on the previous batches' rows. */
export const foldSales = (blocks: readonly DecodedBlock[], batchSize = blocks.length): Rows => {
  const rows: Rows = { nft_sales: [], nft_sale_marks: [], nft_market_days: [], nft_market_day_periods: [], nft_bids: [] };
  for (let start = 0; start < blocks.length; start += batchSize) {
    const batch = blocks.slice(start, start + batchSize);
    const written = salesProjection.fold(batch, {
      chain: facts,
      state: stateOf(rows, batch),
      baseOutcome: () => {
        throw new Error("Unexpected read from the node");
      },
    });
    for (const [name, added] of Object.entries(written)) rows[name as keyof Rows].push(...added);
  }
  return rows;
};

/** Returns the sales, oldest first, as "seller buyer id units price". */
const salesOf = (blocks: readonly DecodedBlock[]): string[] =>
  foldSales(blocks).nft_sales.map((row) => [row.seller, row.buyer, row.token_id, row.units, row.price].map(shortName).join(" "));

/** Returns the days of all wash trades. @throws {Error} if the result depends on the batch size. */
export const washDaysOf = (blocks: readonly DecodedBlock[]): number[] => {
  const washDays = [blocks.length, 1, 2].map((size) => {
    const { nft_sales, nft_sale_marks } = foldSales(blocks, size);
    const marked = nft_sale_marks.map(({ sale }) => sale);
    if (new Set(marked).size < marked.length) throw new Error(`Duplicate wash marks: ${marked.join()}`);
    return nft_sales.filter((row) => row.is_wash === true || marked.includes(row.sale ?? null)).map(({ day }) => Number(day));
  });
  if (new Set(washDays.map(String)).size > 1) throw new Error(`Batches differ: ${washDays.join(" / ")}`);
  return washDays[0] ?? [];
};

const names = new Map([anna, ben, cleo, router].map((address, position) => [String(address), ["anna", "ben", "cleo", "router"][position]]));
const shortName = (value: Row[string] | undefined): string => names.get(String(value)) ?? String(value);

/** The sales that follow from one block's events. */
export const inOneBlock = (...events: EmittedEvent[]) => salesOf([blockOf(1, 1, events)]);
/** The event for orders that the market matched with each other. */
export const ordersMatched = (...orderHashes: readonly Hash[]): EmittedEvent => ({ kind: "ordersMatched", address: market, orderHashes });
