import { describe, expect, it } from "vitest";
import type { Chain } from "../../../../../generated/requests.gen.ts";
import type { ResolverContext } from "../../../../../runtime/api/context.ts";
import { currentFloors } from "../../../../../runtime/api/nft/floors.ts";
import { lastNativeSales } from "../../../../../runtime/api/nft/last-sales.ts";
import { chainConfigSchema } from "../../../../../runtime/config/config.ts";
import { createLedgerQueries } from "../../../../../runtime/domains/ledger/queries/index.ts";
import { createNftSaleQueries } from "../../../../../runtime/domains/nft-sales/queries.ts";
import { createPriceQueries } from "../../../../../runtime/domains/prices/queries/price.ts";
import { type Decimal, toNumber } from "../../../../../runtime/lib/decimal.ts";
import { type Address, type Hash, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import type { ResponseData } from "../../pools/serve-pools.ts";
import { api, etherPrice, hashes, market, testDatabase } from "./setup.ts";

const detailsOf = async (hash: Hash | undefined): Promise<ResponseData> =>
  (await api.get(`transaction_v2/${hash}/?no-logs=true&with-nft-sales=true`)).items[0].nft_sale_details;
const marketHead = async (): Promise<number> => market.chain.head();
/** The part of a resolver's context that these queries need. */
const contextOf = (anchor: number | null): ResolverContext => {
  const settings = {
    ...chainConfigSchema.parse({
      name: "market",
      id: 31337,
      wrappedNative: [market.weth],
      rpc: "http://127.0.0.1:1",
      nfts: { marketplaces: [{ name: "Market", protocol: "seaport", address: market.seaport }] },
    }),
    id: 31337,
  };
  return {
    anchor,
    indexedFrom: null,
    chains: { get: () => settings, evmChains: () => [settings] },
    ledger: createLedgerQueries(testDatabase.database),
    nftSales: createNftSaleQueries(testDatabase.database),
    prices: createPriceQueries(testDatabase.database, (chainId) => chainId),
  } as unknown as ResolverContext;
};

/** Tests of sales in transactions and other responses. */
export const describeResponses = (): void => {
  describe("sales of a transaction", () => {
    it("have the marketplace and price of a listing", async () => {
      const [anna, ben] = market.accounts;
      const [report, ...more] = await detailsOf(hashes.signed);
      expect(more).toEqual([]);
      expect(report).toMatchObject({
        topic0: "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31",
        protocol_contract_address: market.seaport,
        protocol_name: "Market 0",
        protocol_logo_url: "https://logos.example/sea.png",
        from: anna,
        to: ben,
        maker: anna,
        taker: ben,
        token_id: "0",
        collection_address: market.art,
        collection_name: "VIEW",
        token_address: nativeTokenAddress,
        ticker_symbol: "ETH",
        num_decimals: 18,
        contract_quote_rate: 2_000,
        nft_token_price: 1,
        nft_token_price_usd: 2_000,
        pretty_nft_token_price_usd: "$2,000.00",
        nft_token_price_native: 1,
        pretty_nft_token_price_native: "1 ETH",
        token_count: 1,
        num_token_ids_sold_per_sale: 1,
        num_token_ids_sold_per_tx: 1,
        num_collections_sold_per_sale: 1,
        num_collections_sold_per_tx: 1,
        trade_type: "single",
        trade_group_type: "single",
        is_wash_trade: false,
      });
    });

    it("have the buyer's price for bids and matches, and one entry per token in a bundle", async () => {
      const [anna, ben, cleo] = market.accounts;
      expect(await detailsOf(hashes.accepted)).toMatchObject([
        { from: anna, to: ben, maker: ben, taker: anna, token_address: market.weth, nft_token_price_native: 2, is_wash_trade: false },
      ]);
      expect(await detailsOf(hashes.matched)).toMatchObject([
        { from: anna, to: cleo, maker: cleo, nft_token_price: 1_000, nft_token_price_usd: 1_000, is_wash_trade: true },
      ]);
      const bundle = await detailsOf(hashes.bundle);
      expect(
        bundle.map((sale: ResponseData) => [
          sale.token_id,
          sale.token_count,
          sale.pretty_nft_token_price_native,
          sale.num_token_ids_sold_per_sale,
          sale.num_collections_sold_per_tx,
          sale.trade_type,
        ]),
      ).toEqual([
        ["3", 1, "0.100000000000000001 ETH", 3, 2, "bundle"],
        // Two of the five units cost 1 wei more, which the rounded price does not show.
        ["7", 5, "0.1 ETH", 3, 2, "bundle"],
        ["4", 1, "0.1 ETH", 3, 2, "bundle"],
      ]);
    });

    it("are returned only on request, and are empty if nothing was sold", async () => {
      const { items } = await api.get(`transaction_v2/${hashes.signed}/?no-logs=true`);
      expect(items[0].nft_sale_details).toBeNull();
      const { transactions } = (await market.chain.rpc("eth_getBlockByNumber", ["latest", false])) as { transactions: Hash[] };
      expect(await detailsOf(transactions[0])).toEqual([]);
    });
  });

  describe("sales in other responses", () => {
    it("determine the newest day's floor prices, for any number of collections", async () => {
      const context = contextOf(await marketHead());
      const floorPrices = await currentFloors(
        context,
        { id: 31337, name: "market" } as Chain,
        [market.art, market.editions, market.coin],
        "USD",
      );
      // 4 ether on day 41; the edition's last sale was more than thirty days ago, and a coin is not a collection.
      expect([...floorPrices.keys()]).toEqual([market.art]);
      const { native: inEther, quote } = floorPrices.get(market.art) ?? {};
      expect([toNumber(inEther as Decimal), toNumber(quote as Decimal)]).toEqual([4, 4 * etherPrice(41)]);
      const [newest] = (await api.get(`nft_market/${market.art}/floor_price/`)).items;
      expect(newest).toMatchObject({ floor_price_native_quote: 4, floor_price_quote: 4 * etherPrice(41) });
      expect(await currentFloors(contextOf(null), { id: 31337, name: "market" } as Chain, [market.art], "USD")).toEqual(new Map());
    });

    it("determine the last sales in native or wrapped native tokens", async () => {
      const { art, editions } = market;
      const tokenQuery = (collection: Address, id: number) => ({ collection, tokenId: String(id) });
      const queries = [
        tokenQuery(art, 1),
        tokenQuery(art, 2),
        tokenQuery(art, 4),
        tokenQuery(art, 7),
        tokenQuery(art, 30),
        tokenQuery(editions, 7),
        tokenQuery(editions, 8),
      ];
      const last = await lastNativeSales(contextOf(0), 31337, queries, await marketHead());
      expect(queries.map((query) => last(query).token_quote_rate_eth)).toEqual(["4", "3", "0.1", null, null, "0.1", "1"]);
      // Two of the five units cost 1 wei more; the unit price is rounded down.
      expect(last(tokenQuery(editions, 7)).token_price_wei).toBe(String(10n ** 17n));
      expect(last(tokenQuery(art, 7)).token_price_wei).toBeNull();
    });
  });
};
