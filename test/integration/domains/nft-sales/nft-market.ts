import { pino } from "pino";
import supertest from "supertest";
import {
  type ConsiderationItem,
  createOrder,
  encodeFulfillOrder,
  encodeValidate,
  type OrderItem,
  type SeaportOrder,
  withRecipient,
} from "../../../../demo/story/seaport-orders.ts";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { nftProjection } from "../../../../runtime/domains/nft/projection.ts";
import { salesProjection } from "../../../../runtime/domains/nft-sales/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address, Hash } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import type { ResponseData, TestApi } from "../pools/serve-pools.ts";
import { mineTransactions } from "../pools/support.ts";
import { deploySeaport } from "./seaport.ts";

export const ether = 10n ** 18n;
export const secondsPerDay = 86_400;
/** Midnight of 15 November 2023, the day after the chain's genesis. */
export const firstMidnight = 1_700_006_400;
/** The market's day 0 as a UTC day, in days since 1970. */
export const firstDay = firstMidnight / secondsPerDay;
const maxAllowance = 2n ** 255n;
export const toLower = (address: string): Address => address.toLowerCase() as Address;

/** A chain with Seaport, two collections and payment tokens. */
export interface NftMarket {
  readonly chain: TestChain;
  readonly seaport: Address;
  /** ERC-721 with ids from 0, all minted to the first account. */
  readonly art: Address;
  /** ERC-1155: a thousand units of each id from 1 to 9 are minted to the first account. */
  readonly editions: Address;
  readonly coin: Address;
  readonly junk: Address;
  readonly weth: Address;
  readonly accounts: readonly [Address, Address, Address, Address, Address];
  /** Creates an order with a new salt. */
  order(offerer: Address, offer: readonly OrderItem[], consideration: readonly ConsiderationItem[], isPartial?: boolean): SeaportOrder;
  /** Returns the transactions that fill an order: the offerer validates it, and an account fulfils it. */
  fill(order: SeaportOrder, filler: Address, value?: bigint): TestTransaction[];
  /** Returns the transactions of a filled listing: tokens in exchange for payments to their seller. */
  sell(from: Address, to: Address, offered: OrderItem | readonly OrderItem[], ...payments: readonly OrderItem[]): TestTransaction[];
  /** Mines transactions at an hour of a day; all of them must succeed. */
  mineOn(day: number, hour: number, ...transactions: readonly TestTransaction[]): Promise<Hash[]>;
}

const nativeIn = (items: readonly OrderItem[]): bigint =>
  items.filter(({ itemType }) => itemType === 0).reduce((sum, { startAmount }) => sum + startAmount, 0n);

export const startNftMarket = async (): Promise<NftMarket> => {
  const chain = await startTestChain();
  const [, ...others] = chain.accounts.map(toLower);
  const accounts = others.slice(0, 5) as unknown as NftMarket["accounts"];
  const [first] = accounts;
  const seaport = await deploySeaport(chain);
  const art = toLower(await chain.deploy(artifacts.erc721(), ["Harbor Views", "VIEW", "https://art.example/"]));
  const editions = toLower(await chain.deploy(artifacts.erc1155(), ["https://editions.example/{id}"]));
  const coin = toLower(await chain.deploy(artifacts.erc20(), ["Coin", "COIN"]));
  const junk = toLower(await chain.deploy(artifacts.erc20(), ["Junk", "JUNK"]));
  const weth = toLower(await chain.deploy(artifacts.weth()));
  const gas = 3_000_000n;
  const ids = [1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n];
  await mineTransactions(chain, [
    ...Array.from({ length: 40 }, () => encodeCall(artifacts.erc721(), art, "mint", [first])),
    { gas, ...encodeCall(artifacts.erc1155(), editions, "mintBatch", [first, ids, ids.map(() => 1_000n), "0x"]) },
    ...accounts.flatMap((account) => [
      encodeCall(artifacts.erc20(), coin, "mint", [account, 1_000_000n * ether]),
      encodeCall(artifacts.erc20(), junk, "mint", [account, 1_000_000n * ether]),
      { from: account, value: 100n * ether, ...encodeCall(artifacts.weth(), weth, "deposit") },
      ...[coin, junk, weth].map((token) => ({
        from: account,
        ...encodeCall(artifacts.erc20(), token, "approve", [seaport, maxAllowance]),
      })),
      ...[art, editions].map((token) => ({
        from: account,
        ...encodeCall(artifacts.erc721(), token, "setApprovalForAll", [seaport, true]),
      })),
    ]),
  ]);
  let salt = 0n;
  const order: NftMarket["order"] = (offerer, offer, consideration, isPartial = false) => {
    salt += 1n;
    return createOrder({ offerer, offer, consideration, salt, partial: isPartial });
  };
  const fill: NftMarket["fill"] = (filled, filler, value = nativeIn(filled.consideration)) => [
    { from: filled.offerer, to: seaport, gas, data: encodeValidate([filled]) },
    { from: filler, to: seaport, gas, value, data: encodeFulfillOrder({ order: filled }) },
  ];
  return {
    chain,
    seaport,
    art,
    editions,
    coin,
    junk,
    weth,
    accounts,
    order,
    fill,
    sell: (from, to, offered, ...payments) =>
      fill(
        order(
          from,
          [offered].flat(),
          payments.map((payment) => withRecipient(from, payment)),
        ),
        to,
      ),
    mineOn: (day, hour, ...transactions) => mineTransactions(chain, transactions, firstMidnight + day * secondsPerDay + hour * 3_600),
  };
};

/** Indexes the chain up to its head. */
export const indexNftMarket = async (
  { chain, weth }: Pick<NftMarket, "chain" | "weth">,
  tuning: Record<string, number> = {},
): Promise<TestDatabase> => {
  const testDatabase = await createTestDatabase();
  const running = await createTestIndexer(chain.url, testDatabase.database, {
    projections: [tokensProjection, nftProjection, salesProjection],
    chain: chainOf({ wrappedNative: [weth] }),
    tuning,
  });
  await running.runToHead(await chain.head());
  await running.close();
  return testDatabase;
};

/** Serves an index with these marketplaces configured; every response is validated against the catalog. */
export const serveNftMarket = async (
  database: Database,
  { weth }: Pick<NftMarket, "weth">,
  marketplaces: readonly { readonly protocol: "seaport" | "cryptopunks"; readonly address: Address; readonly logoUrl?: string }[],
): Promise<TestApi> => {
  const settings = chainConfigSchema.parse({
    name: "market",
    id: 31337,
    rpc: "http://127.0.0.1:1",
    groups: ["historical"],
    wrappedNative: [weth],
    nfts: { marketplaces: marketplaces.map((marketplace, position) => ({ name: `Market ${position}`, ...marketplace })) },
  });
  const { key } = await createKeys(database).create({ label: "test" });
  const http = createApp({
    config: configSchema.parse({ limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [{ ...settings, id: 31337 }],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
  });
  const request = async (path: string) => {
    const response = await supertest(http.listener).get(`/v1/market/${path}`).set("Authorization", `Bearer ${key}`);
    return { status: response.status, data: response.body.data as ResponseData, message: String(response.body.error_message) };
  };
  return {
    request,
    get: async (path) => {
      const { status, data, message } = await request(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
      return data;
    },
    end: () => http.close(),
  };
};

/** Returns a line for each sale above a block, oldest first: day, token, seller, buyer, payment, and whether it is a wash trade. */
export const salesIn = async (database: Database, above = 0): Promise<string[]> => {
  const rows = await database.query<Record<string, string | boolean | null>>(
    `SELECT s.day - ${firstDay} AS day, s.collection, s.token_id, s.units, s.seller, s.buyer, s.payment_token, s.price,
       s.is_wash OR EXISTS (SELECT FROM nft_sale_marks k WHERE k.sale = s.sale) AS wash FROM nft_sales s
     WHERE s.block_number > $1 ORDER BY s.sale`,
    [above],
  );
  return rows.map((row) =>
    [row.day, row.collection, row.token_id, row.units, row.seller, row.buyer, row.payment_token, row.price, row.wash].join(" "),
  );
};
