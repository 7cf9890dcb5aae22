import { decodeAbiParameters, parseAbiParameters, toEventSelector } from "viem";
import { movesOf, type TokenMove, zeroAddress } from "./story-collections.ts";
import { blockTimes, secondsPerDay } from "./story-exchanges.ts";
import { addressOf, logsOf, type NodeLog, storyValue, transferTopic } from "./story-node.ts";

/** The data of Seaport's OrderFulfilled: the order, the recipient, and the transferred amounts. */
const orderData = parseAbiParameters([
  "bytes32 orderHash, address recipient, SpentItem[] offer, ReceivedItem[] consideration",
  "struct SpentItem { uint8 itemType; address token; uint256 identifier; uint256 amount; }",
  "struct ReceivedItem { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }",
]);
const spent = "(uint8,address,uint256,uint256)[]";
const received = "(uint8,address,uint256,uint256,address)[]";
const orderFulfilled: string = toEventSelector(`OrderFulfilled(bytes32,address,address,address,${spent},${received})`);
const punkBought: string = toEventSelector("PunkBought(uint256,uint256,address,address)");
const bidEntered: string = toEventSelector("PunkBidEntered(uint256,uint256,address)");

/** A sold token id, from the marketplaces' logs. All sales in the story are paid in ether or wrapped ether. */
export interface StorySale {
  readonly collection: string;
  readonly id: bigint;
  readonly seller: string;
  readonly buyer: string;
  readonly units: bigint;
  /** The price for all units, in wei. */
  readonly price: bigint;
  /** The price of the cheapest unit; the first units bear the remainder of the division. */
  readonly unitPrice: number;
  /** UTC day, in days since 1970. */
  readonly day: number;
  readonly hash: string;
  isWash: boolean;
}

const dayOf = (times: readonly number[], block: string): number => Math.floor((times[Number(block)] ?? Number.NaN) / secondsPerDay);
const isToken = ({ itemType }: { readonly itemType: number }): boolean => itemType === 2 || itemType === 3;
const sum = (items: readonly { readonly amount: bigint }[]): bigint => items.reduce((total, { amount }) => total + amount, 0n);

interface Order {
  readonly log: NodeLog;
  readonly isBid: boolean;
  readonly offerer: string;
  readonly recipient: string;
  readonly price: bigint;
  readonly tokens: readonly { readonly token: string; readonly identifier: bigint; readonly amount: bigint }[];
}

const orderIn = (log: NodeLog): Order => {
  const [, recipient, offer, consideration] = decodeAbiParameters(orderData, log.data as `0x${string}`);
  const offerer = addressOf(log.topics[1]);
  const isBid = !offer.some(isToken);
  const tokens = (isBid ? consideration : offer).filter(isToken).map((item) => ({ ...item, token: item.token.toLowerCase() }));
  const price = sum((isBid ? offer : consideration).filter((item) => !isToken(item)));
  return { log, isBid, offerer, recipient: recipient.toLowerCase(), price, tokens };
};

/** The price of some of an order's units: an equal share each, and one wei of the remainder for each of the first units. */
const shareOf = (price: bigint, units: bigint, first: bigint, count: bigint): bigint => {
  const remainder = (price % units) - first;
  if (remainder <= 0n) return (price / units) * count;
  return (price / units) * count + (remainder > count ? count : remainder);
};

/**
 * Reads the sales on Seaport. If a listing and a bid were matched, both events name the token; the bid's event is used, because it has the price that the
 * buyer pays.
 */
const seaportSales = async (times: readonly number[], moves: ReadonlyMap<string, readonly TokenMove[]>): Promise<StorySale[]> => {
  const logs = await logsOf({
    address: storyValue("seaport"),
    topics: [orderFulfilled],
  });
  const orders = logs.map(orderIn);
  const tokensWithBid = new Set(
    orders
      .filter(({ isBid }) => isBid)
      .flatMap(({ log, tokens }) => tokens.map(({ token, identifier }) => log.transactionHash + token + identifier)),
  );
  return orders.flatMap(({ log, isBid, offerer, recipient, price, tokens }) => {
    const units = sum(tokens);
    let first = 0n;
    return tokens.flatMap(({ token: collection, identifier: id, amount }): StorySale[] => {
      const share = shareOf(price, units, first, amount);
      first += amount;
      if (!isBid && tokensWithBid.has(log.transactionHash + collection + id)) return [];
      const moved = moves.get(log.transactionHash)?.find((move) => move.id === id);
      if (moved === undefined) throw new Error(`The sale of ${collection} ${id} in ${log.transactionHash} has no transfer`);
      return [
        {
          collection,
          id,
          seller: isBid ? moved.from : offerer,
          buyer: isBid ? offerer : recipient,
          units: amount,
          price: share,
          unitPrice: Number(share) / Number(amount),
          day: dayOf(times, log.blockNumber),
          hash: log.transactionHash,
          isWash: false,
        },
      ];
    });
  });
};

/** Reads the sales of Harbor Faces. An accepted bid's event has neither price nor buyer; they are taken from the bid and the preceding Transfer. */
const faceSales = async (times: readonly number[]): Promise<StorySale[]> => {
  const bids = new Map<string, bigint>();
  let receiver = zeroAddress;
  const sales: StorySale[] = [];
  for (const { topics, data, blockNumber, transactionHash: hash } of await logsOf({ address: storyValue("punks") })) {
    const [topic, id = "", seller] = topics;
    if (topic === bidEntered) bids.set(id, BigInt(data));
    if (topic === transferTopic) receiver = addressOf(topics[2]);
    if (topic !== punkBought) continue;
    const isBid = addressOf(topics[3]) === zeroAddress;
    const price = isBid ? (bids.get(id) ?? 0n) : BigInt(data);
    const [buyer, day] = [isBid ? receiver : addressOf(topics[3]), dayOf(times, blockNumber)];
    const sold = {
      collection: storyValue("punks"),
      id: BigInt(id),
      seller: addressOf(seller),
      buyer,
      units: 1n,
      price,
      unitPrice: Number(price),
    };
    sales.push({ ...sold, day, hash, isWash: false });
  }
  return sales.filter(({ price }) => price > 0n);
};

/** Two sales of a token between the same accounts within this number of days are wash trades; see `is_wash_trade`. */
const washDays = 30;

const markWashTrades = (sales: readonly StorySale[]): void => {
  for (const [index, sale] of sales.entries()) {
    if (sale.seller === sale.buyer) sale.isWash = true;
    const parties = [sale.seller, sale.buyer];
    const isUnique = sale.collection !== storyValue("editionsCollection");
    const earlier = sales
      .slice(0, index)
      .filter(({ collection, id }) => collection === sale.collection && id === sale.id)
      // An edition has many units, so only a sale in the other direction is a wash trade.
      .filter(({ seller, buyer }) =>
        isUnique ? parties.includes(seller) && parties.includes(buyer) && seller !== buyer : seller === sale.buyer && buyer === sale.seller,
      )
      .at(-1);
    if (earlier === undefined || sale.day - earlier.day > washDays) continue;
    sale.isWash = true;
    earlier.isWash = true;
  }
};

/** Reads all of the story's sales with wash trades marked, its head's day, and the block times. */
export async function salesOfStory(): Promise<{
  readonly sales: readonly StorySale[];
  readonly today: number;
  readonly times: readonly number[];
}> {
  const times = await blockTimes();
  const moves = new Map<string, TokenMove[]>();
  for (const collection of [storyValue("gardenCollection"), storyValue("editionsCollection")])
    for (const move of await movesOf(collection)) moves.set(move.hash, [...(moves.get(move.hash) ?? []), move]);
  const sales = [...(await seaportSales(times, moves)), ...(await faceSales(times))];
  markWashTrades(sales);
  return { sales, today: Math.floor((times.at(-1) ?? 0) / secondsPerDay), times };
}
