import { chainConfigSchema } from "../../../../runtime/config/config.ts";
import type { Asset } from "../../../../runtime/domains/prices/engine/assets.ts";
import { createPriceModel } from "../../../../runtime/domains/prices/engine/model.ts";
import type { PoolObservation } from "../../../../runtime/domains/prices/engine/observations.ts";
import type { Prices } from "../../../../runtime/domains/prices/engine/prices.ts";
import { toText } from "../../../../runtime/lib/decimal.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";

/** An address that repeats two digits. */
export const contract = (digits: string): Address => `0x${digits.repeat(20)}`;
/** Token addresses in ascending order, the order of tokens in a pool. */
export const [usd, weth, token, other, third] = ["11", "22", "33", "44", "55"].map(contract) as [
  Address,
  Address,
  Address,
  Address,
  Address,
];
export const feed = contract("fe");

/** The start of a 15-minute bucket and its end, in Unix seconds. */
export const start = 900_000;
export const end = start + 900;
export const unit = 10n ** 18n;

/** Converts a price per whole unit to a price per smallest unit by moving the decimal point to the left. */
export const perUnit = (price: string, decimals: number): string => {
  const [left = "", right = ""] = price.split(".");
  const digits = `${"0".repeat(decimals)}${left}`;
  const shifted = `${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}${right}`;
  return shifted.replace(/\.?0+$/, "").replace(/^0+(?=\d)/, "");
};

type Reserves = readonly [bigint, bigint];

/** A price model with methods that feed it observations. */
export const createObservedModel = (
  prices: Record<string, unknown>,
  decimals: Readonly<Record<Address, number | null>> = {},
  wrappedNative: readonly Address[] = [weth],
) => {
  const settings = chainConfigSchema.parse({ name: "test", id: 1, rpc: "http://127.0.0.1:1", prices }).prices;
  const model = createPriceModel({
    prices: settings,
    wrappedNative,
    decimalsOf: (address) => (Object.hasOwn(decimals, address) ? (decimals[address] ?? null) : 18),
  });
  let closed: Prices = new Map();
  const textOf = (rates: Prices, asset: Asset): string | null => {
    const rate = rates.get(asset);
    return rate === undefined ? null : toText(rate);
  };
  const observePool = (pool: Address, time: number, state: Partial<PoolObservation>) =>
    model.observe({
      kind: "pool",
      time,
      pool,
      reserve0: null,
      reserve1: null,
      sqrtPriceX96: null,
      liquidity: null,
      supply: null,
      ...state,
    });
  return {
    model,
    /** Adds a pool of a configured exchange, with its reserves since a time. */
    addPool: (
      pool: Address,
      tokens: readonly [Address, Address],
      reserves: Reserves,
      time = start - 1_000,
      supply: bigint | null = null,
    ) => {
      model.addPool({ pool, token0: tokens[0], token1: tokens[1], isConcentrated: false });
      observePool(pool, time, { reserve0: reserves[0], reserve1: reserves[1], supply });
    },
    /** Adds a concentrated pool. */
    addConcentratedPool: (pool: Address, tokens: readonly [Address, Address], state: Partial<PoolObservation>, time = start - 1_000) => {
      model.addPool({ pool, token0: tokens[0], token1: tokens[1], isConcentrated: true });
      observePool(pool, time, state);
    },
    updatePool: (pool: Address, time: number, reserves: Reserves | null, supply: bigint | null = null) =>
      observePool(pool, time, { reserve0: reserves?.[0] ?? null, reserve1: reserves?.[1] ?? null, supply }),
    reportFeed: (time: number, answer: bigint, aggregator = feed) => model.observe({ kind: "feed", time, feed: aggregator, answer }),
    setFilePrice: (time: number, asset: Asset, price: string | null) => model.observe({ kind: "file", time, asset, price }),
    /** Closes the bucket that ends at a time. */
    close: (time = end): void => {
      closed = model.closeBucket(time) ?? closed;
    },
    /** The price of the smallest unit in the last closed bucket. */
    price: (asset: Asset): string | null => textOf(closed, asset),
    priceAt: (time: number, asset: Asset): string | null => textOf(model.pricesAt(time), asset),
  };
};
