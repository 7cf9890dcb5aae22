import { privateKeyToAddress } from "viem/accounts";
import { createOrder, encodeFulfillOrder, erc721Item, nativeItem, signOrder, withRecipient } from "../../demo/story/seaport-orders.ts";
import type { Address, Hash, Hex } from "../../runtime/lib/hex.ts";
import { deploySeaport } from "../../test/integration/domains/nft-sales/seaport.ts";
import { type Artifact, artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../test/support/chain.ts";
import { createRandom, hexOf } from "../support/random.ts";
import { compileAlmanac } from "./almanac.ts";

/** The size of a generated trade history. */
export interface TradeSize {
  /** Excludes the setup of the collections. */
  readonly transactions: number;
  readonly blocks: number;
}

export interface TradeHistory extends TestChain {
  readonly chainId: number;
  readonly saleCount: number;
  /** The number of coin allowances, single-token approvals and operator approvals together. */
  readonly approvalCount: number;
  /** The number of tokens in all ERC-721 collections. */
  readonly tokenCount: number;
}

const collectionCount = 10;
const tokensPerCollection = 300;
const editionIds = 20;
const traderCount = 60;
/** Percentages of the transactions; the others transfer a token. */
const shares = { sales: 25, approvals: 10, operators: 5, allowances: 10, units: 5, prints: 5 } as const;
const blockSeconds = 12;
const traderKind = 72;
const wholeToken = 10n ** 18n;

interface Trader {
  readonly key: Hash;
  readonly address: Address;
}

interface Market {
  readonly chainId: number;
  readonly almanac: Artifact;
  readonly seaport: Address;
  readonly collections: readonly Address[];
  /** Positions of traders, by collection and id. */
  readonly owners: readonly number[][];
  readonly editions: Address;
  readonly coin: Address;
  readonly traders: readonly Trader[];
}

/** Starts a node with a trade history on a real marketplace. The same size generates the same history. */
export async function startTradeHistory(size: TradeSize, cacheFolder: string): Promise<TradeHistory> {
  const chain = await startTestChain({ args: ["--prune-history", "10", "--cache-path", cacheFolder] });
  try {
    const market = await openMarket(chain);
    const counts = await trade(chain, market, size);
    return { ...chain, ...counts, chainId: market.chainId, tokenCount: market.owners.reduce((sum, { length }) => sum + length, 0) };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

async function openMarket(chain: TestChain): Promise<Market> {
  const almanac = compileAlmanac();
  const seaport = await deploySeaport(chain);
  const collections: Address[] = [];
  for (let number = 0; number < collectionCount; number += 1) collections.push(await chain.deploy(almanac));
  const editions = await chain.deploy(artifacts.erc1155(), ["https://editions.example/{id}"]);
  const coin = await chain.deploy(artifacts.erc20(), ["Ledger Coin", "LEDGER"]);
  const traders = Array.from({ length: traderCount }, (_, number) => {
    const key = hexOf(traderKind, number, 8);
    return { key, address: privateKeyToAddress(key) };
  });
  await chain.batch(traders.map(({ address }) => ({ method: "anvil_setBalance", params: [address, `0x${(10n ** 24n).toString(16)}`] })));
  const owners = collections.map((_, collection) =>
    Array.from({ length: tokensPerCollection }, (__, id) => (id * 7 + collection) % traderCount),
  );
  const ids = Array.from({ length: editionIds }, (_, id) => BigInt(id));
  const amounts = ids.map(() => 1_000_000n);
  await mineAll(chain, 10, [
    ...owners.flatMap((tokenOwners, position) =>
      [0, 100, 200].map((first) => {
        const recipients = tokenOwners.slice(first, first + 100).map((owner) => traders[owner]?.address);
        return { ...encodeCall(almanac, collections[position] as Address, "print", [recipients]), gas: 12_000_000n };
      }),
    ),
    ...traders.flatMap(({ address }) => [
      ...collections.map((collection) => ({
        from: address,
        ...encodeCall(almanac, collection, "setApprovalForAll", [seaport, true]),
        gas: 100_000n,
      })),
      { ...encodeCall(artifacts.erc1155(), editions, "mintBatch", [address, ids, amounts, "0x"]), gas: 2_000_000n },
      { ...encodeCall(artifacts.erc20(), coin, "mint", [address, 10n ** 6n * wholeToken]), gas: 200_000n },
    ]),
  ]);
  return { chainId: Number(await chain.rpc("eth_chainId")), almanac, seaport, collections, owners, editions, coin, traders };
}

/** Sends a limited number of transactions per block. @throws {Error} if one fails. */
async function mineAll(chain: TestChain, perBlock: number, transactions: readonly TestTransaction[]): Promise<void> {
  for (let first = 0; first < transactions.length; first += perBlock) {
    const hashes = await chain.send(...transactions.slice(first, first + perBlock));
    await minePending(chain);
    await expectSuccess(chain, hashes);
  }
}

/** Mines until no transaction is pending. */
async function minePending(chain: TestChain, time?: number): Promise<void> {
  await chain.mine(time);
  while (Number((await chain.rpc<{ pending: Hex }>("txpool_status")).pending) > 0) await chain.mine();
}

const expectSuccess = async (chain: TestChain, hashes: readonly Hash[]): Promise<void> => {
  const receipts = await chain.batch<{ status: Hex } | null>(
    hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
  );
  const failed = receipts.findIndex((receipt) => receipt?.status !== "0x1");
  if (failed >= 0) throw new Error(`Transaction ${hashes[failed]} of the trade history failed`);
};

/** Sends the trades; returns the counts of sales and approvals. */
async function trade(
  chain: TestChain,
  market: Market,
  { transactions, blocks }: TradeSize,
): Promise<Pick<TradeHistory, "saleCount" | "approvalCount">> {
  const { timestamp } = await chain.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  const actions = createActions(market);
  for (let block = 0, sent = 0; block < blocks; block += 1) {
    const until = Math.floor((transactions * (block + 1)) / blocks);
    const next: TestTransaction[] = [];
    for (let number = sent; number < until; number += 1) next.push(await actions.next(number));
    const hashes = await chain.send(...next);
    await chain.mine(Number(timestamp) + (block + 1) * blockSeconds);
    await expectSuccess(chain, hashes);
    sent = until;
  }
  // Each trader approved the marketplace for each collection during the setup.
  return { saleCount: actions.counts.sales, approvalCount: actions.counts.approvals + traderCount * collectionCount };
}

/** Generates random transactions in which accounts transfer only tokens that they hold. */
const createActions = ({ chainId, almanac, seaport, collections, owners, editions, coin, traders }: Market) => {
  const random = createRandom(1);
  const counts = { sales: 0, approvals: 0 };
  const randomBelow = (count: number): number => Math.floor(random() * count);
  const traderAt = (position: number): Trader => traders[position % traderCount] as Trader;
  /** Moves a random token to another trader. */
  const move = () => {
    const collection = randomBelow(collectionCount);
    const tokenOwners = owners[collection] as number[];
    const id = Math.floor(random() ** 2 * tokenOwners.length);
    const owner = tokenOwners[id] as number;
    const next = (owner + 1 + randomBelow(traderCount - 1)) % traderCount;
    tokenOwners[id] = next;
    return { token: collections[collection] as Address, id: BigInt(id), seller: traderAt(owner), buyer: traderAt(next) };
  };
  const sell = async (number: number): Promise<TestTransaction> => {
    const { token, id, seller, buyer } = move();
    const price = BigInt(1 + randomBelow(1_000)) * 10n ** 15n;
    const consideration = [
      withRecipient(seller.address, nativeItem((price * 925n) / 1_000n)),
      withRecipient(traderAt(0).address, nativeItem((price * 75n) / 1_000n)),
    ];
    const order = createOrder({ offerer: seller.address, offer: [erc721Item(token, id)], consideration, salt: BigInt(number) });
    const signature = await signOrder(order, { chainId, address: seaport }, seller.key);
    return { from: buyer.address, to: seaport, data: encodeFulfillOrder({ order, signature }), value: price, gas: 400_000n };
  };
  const next = (number: number): TestTransaction | Promise<TestTransaction> => {
    let chance = randomBelow(100);
    const isWithin = (share: number): boolean => {
      chance -= share;
      return chance < 0;
    };
    const from = traderAt(randomBelow(traderCount)).address;
    const to = traderAt(randomBelow(traderCount)).address;
    if (isWithin(shares.sales)) {
      counts.sales += 1;
      return sell(number);
    }
    if (isWithin(shares.approvals)) {
      const position = randomBelow(collectionCount);
      const tokenOwners = owners[position] as number[];
      const id = randomBelow(tokenOwners.length);
      counts.approvals += 1;
      const approve = encodeCall(almanac, collections[position] as Address, "approve", [to, BigInt(id)]);
      return { from: traderAt(tokenOwners[id] as number).address, ...approve, gas: 100_000n };
    }
    if (isWithin(shares.operators)) {
      counts.approvals += 1;
      const operator = hexOf(traderKind + 1, randomBelow(20), 5);
      return {
        from,
        ...encodeCall(almanac, collections[randomBelow(collectionCount)] as Address, "setApprovalForAll", [operator, randomBelow(2) === 0]),
        gas: 100_000n,
      };
    }
    if (isWithin(shares.allowances)) {
      counts.approvals += 1;
      return { from, ...encodeCall(artifacts.erc20(), coin, "approve", [to, BigInt(randomBelow(1_000)) * wholeToken]), gas: 100_000n };
    }
    if (isWithin(shares.units)) {
      const transfer = [from, to, BigInt(randomBelow(editionIds)), BigInt(1 + randomBelow(5)), "0x"];
      return { from, ...encodeCall(artifacts.erc1155(), editions, "safeTransferFrom", transfer), gas: 150_000n };
    }
    if (isWithin(shares.prints)) {
      const position = randomBelow(collectionCount);
      const owner = randomBelow(traderCount);
      owners[position]?.push(owner);
      return { ...encodeCall(almanac, collections[position] as Address, "print", [[traderAt(owner).address]]), gas: 200_000n };
    }
    const { token, id, seller, buyer } = move();
    return { from: seller.address, ...encodeCall(almanac, token, "transferFrom", [seller.address, buyer.address, id]), gas: 150_000n };
  };
  return { counts, next };
};
