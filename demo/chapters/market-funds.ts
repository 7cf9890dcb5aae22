import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import type { Random } from "../story/random.ts";
import type { ChapterContext } from "../story/types.ts";
import { type Currency, type Market, splitPrice } from "./market-types.ts";

/** 0.001 ether: prices are whole numbers of it. */
export const thousandth = 10n ** 15n;
const attempts = 20;

/** The funds of buyers, and the effect of sales on them. */
export const createPurse = ({ holdings }: ChapterContext, { weth }: Market, random: Random) => {
  const tokenOf = (currency: Currency): Address => (currency === "native" ? nativeTokenAddress : weth);
  const affords = (buyer: Address, currency: Currency, price: bigint): boolean => holdings.of(tokenOf(currency), buyer) >= price;
  return {
    affords,
    /** A random account other than the seller that can pay; undefined if a few tries find none. */
    findBuyer: (candidates: readonly Address[], seller: Address, currency: Currency, price: bigint): Address | undefined => {
      for (let attempt = 0; attempt < attempts; attempt++) {
        const candidate = random.pick(candidates);
        if (candidate !== seller && affords(candidate, currency, price)) return candidate;
      }
      return undefined;
    },
    /** The buyer pays the price, the seller receives the proceeds. */
    settle: (buyer: Address, seller: Address, currency: Currency, price: bigint): void => {
      holdings.take(tokenOf(currency), buyer, price);
      holdings.receive(tokenOf(currency), seller, splitPrice(price).seller);
    },
  };
};

export type Purse = ReturnType<typeof createPurse>;
