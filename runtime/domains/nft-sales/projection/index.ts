import type { DecodedBlock, PunkEvent } from "../../../events/decoded-block.ts";
import { type ChainFacts, defineProjection, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type State } from "../../../indexer/state/state.ts";
import { type Decimal, decimal, divide, toText } from "../../../lib/decimal.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../../lib/hex.ts";
import { secondsPerDay } from "../../../lib/time.ts";
import { createMarketDays } from "./market-days.ts";
import { type MarketplaceSale, marketplaceProtocols, salesOfBlock } from "./marketplaces/index.ts";
import type { Payment } from "./marketplaces/marketplace-protocol.ts";
import { saleLoads, saleTables } from "./tables.ts";
import { createWashTradeDetector } from "./wash-trades.ts";

/** The id of the projection in the checkpoints table. */
export const salesProjectionId = "nft-sales";

/** How many numbers are reserved for the sales of a block, and as many for its bids: more than a block can contain. */
const positionsPerBlock = 1_000_000;

/** The number range for a block's sales: its first number, and the first number after it. */
export const saleNumberRangeOf = (block: number): readonly [number, number] => [block * positionsPerBlock, (block + 1) * positionsPerBlock];

/** Sales of collections' tokens at every contract that emits a known marketplace's events. */
export const salesProjection = defineProjection({
  id: salesProjectionId,
  version: 2,
  events: [...new Set(marketplaceProtocols.flatMap(({ events }) => events))],
  tables: saleTables,
  loads: saleLoads,
  keysToLoad: (blocks, chain) => {
    const sets = { between: createKeySet(), days: createKeySet(), bids: createKeySet() };
    for (const block of blocks) {
      const day = dayOf(block);
      for (const { collection, tokenId, seller, buyer, marketplace, payment } of salesIn(block, chain)) {
        sets.between.add(collection, tokenId, seller, buyer);
        sets.between.add(collection, tokenId, buyer, seller);
        // The payment token of an accepted bid is known once the bid is loaded: the native token, or unknown.
        const tokens = payment === "bid" ? [nativeTokenAddress, zeroAddress] : [payment?.token ?? zeroAddress];
        for (const token of tokens) sets.days.add(collection, day, marketplace, token);
        if (payment === "bid") sets.bids.add(marketplace, tokenId);
      }
    }
    return Object.fromEntries(Object.entries(sets).map(([name, { keys }]) => [name, keys]));
  },
  fold: (blocks, { state, chain }) => foldSales(blocks, state, chain),
});

/** Caches the sales of a block as long as its object exists: `needs` and `fold` both read them. */
const salesByBlock = new WeakMap<DecodedBlock, { readonly chain: ChainFacts; readonly sales: readonly MarketplaceSale[] }>();

const salesIn = (block: DecodedBlock, chain: ChainFacts): readonly MarketplaceSale[] => {
  const cached = salesByBlock.get(block);
  if (cached?.chain === chain) return cached.sales;
  const sales = salesOfBlock(block, chain.wrappedNative);
  salesByBlock.set(block, { chain, sales });
  return sales;
};

const dayOf = ({ block }: DecodedBlock): number => Math.floor(block.timestamp / secondsPerDay);

const foldSales = (blocks: readonly DecodedBlock[], state: State, chain: ChainFacts): Record<string, Row[]> => {
  const [washTrades, days, bids] = [createWashTradeDetector(state), createMarketDays(state), createBids(state)];
  const [sales, marks]: [Row[], Row[]] = [[], []];
  for (const decoded of blocks) {
    const block_number = decoded.block.number;
    const day = dayOf(decoded);
    bids.startBlock(decoded);
    washTrades.startBlock();
    for (const [position, sale] of salesIn(decoded, chain).entries()) {
      const { collection, marketplace, units } = sale;
      const payment = sale.payment === "bid" ? bids.acceptedPayment(sale) : sale.payment;
      const price = payment?.amount ?? null;
      const unitPrice = price === null ? null : priceOfUnit(price, units);
      const { isWash, marked } = washTrades.classify(sale, day);
      const row = {
        sale: block_number * positionsPerBlock + position,
        block_number,
        transaction_index: sale.transactionIndex,
        log_index: sale.logIndex,
        day,
        marketplace,
        protocol: sale.protocol.code,
        collection,
        token_id: sale.tokenId,
        units,
        seller: sale.seller,
        buyer: sale.buyer,
        maker_is_buyer: sale.maker === "buyer",
        payment_token: payment?.token ?? null,
        price,
        unit_price: unitPrice === null ? null : toText(unitPrice),
        is_wash: isWash,
      };
      sales.push(row);
      washTrades.record(sale, row);
      days.add({ collection, day, marketplace, paymentToken: payment?.token ?? zeroAddress }, price, unitPrice, isWash);
      if (marked !== null) marks.push(markOf(marked, collection, block_number));
    }
    bids.endBlock();
    days.endBlock(block_number);
  }
  return {
    nft_sales: sales,
    nft_sale_marks: marks,
    nft_market_day_periods: days.periods,
    nft_market_days: days.latest(),
    nft_bids: bids.rows,
  };
};

/** The price of one unit; exact if only one was sold. */
const priceOfUnit = (price: bigint, units: bigint): Decimal => (units === 1n ? decimal(price) : divide(decimal(price), decimal(units)));

const markOf = ({ sale, day, marketplace, payment_token, price, unit_price }: Row, collection: Address, blockNumber: number): Row => ({
  sale: sale ?? null,
  block_number: blockNumber,
  collection,
  day: day ?? null,
  marketplace: marketplace ?? null,
  payment_token: payment_token ?? zeroAddress,
  price: price ?? null,
  unit_price: unit_price ?? null,
});

type BidEvent = Extract<PunkEvent, { kind: "punkBidEntered" }>;

interface Bid {
  readonly bidder: Address;
  readonly amount: bigint;
}

/** The current bids while a batch of blocks is folded. */
const createBids = (state: State) => {
  const rows: Row[] = [];
  const current = new Map<string, Bid>();
  let blockBids: readonly BidEvent[] = [];
  let next = 0;
  let block = 0;

  const enterUpTo = (logIndex: number): void => {
    for (let event = blockBids[next]; event !== undefined && event.logIndex < logIndex; event = blockBids[next]) {
      const { address: marketplace, tokenId, bidder, value: amount } = event;
      current.set(`${marketplace}${tokenId}`, { bidder, amount });
      rows.push({ marketplace, token_id: tokenId, bid: block * positionsPerBlock + next, block_number: block, bidder, amount });
      next += 1;
    }
  };

  return {
    rows,
    startBlock: (decoded: DecodedBlock): void => {
      block = decoded.block.number;
      blockBids = decoded.events.filter((event) => event.kind === "punkBidEntered");
      next = 0;
    },
    endBlock: (): void => enterUpTo(Number.POSITIVE_INFINITY),
    /** The payment of the bid that a sale accepted; null if no bid by the buyer is known. A later bid is always higher, and replaces the previous one. */
    acceptedPayment: ({ marketplace, tokenId, buyer, logIndex }: MarketplaceSale): Payment | null => {
      enterUpTo(logIndex);
      const row = state.get("bids", marketplace, tokenId);
      const stored = row === undefined ? null : { bidder: String(row.bidder) as Address, amount: BigInt(String(row.amount)) };
      const bid = current.get(`${marketplace}${tokenId}`) ?? stored;
      return bid?.bidder === buyer ? { token: nativeTokenAddress, amount: bid.amount } : null;
    },
  };
};
