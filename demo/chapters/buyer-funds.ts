import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import type { Random } from "../story/random.ts";
import type { StoryContext } from "../story/types.ts";
import { type Currency, type Marketplace, splitPrice } from "./marketplace-orders.ts";

/** 0.001 ether; prices are multiples of it. */
export const finney = 10n ** 15n;
const maxAttempts = 20;

/** Finds buyers that can pay, and records the effect of sales on their holdings. */
export const createBuyerFunds = ({ holdings }: StoryContext, { weth }: Marketplace, random: Random) => {
  const tokenOf = (currency: Currency): Address => (currency === "native" ? nativeTokenAddress : weth);
  const canPay = (buyer: Address, currency: Currency, price: bigint): boolean => holdings.balanceOf(tokenOf(currency), buyer) >= price;
  return {
    canPay,
    /** A random account other than the seller that can pay; undefined if 20 attempts find none. */
    findBuyer: (candidates: readonly Address[], seller: Address, currency: Currency, price: bigint): Address | undefined => {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const candidate = random.pick(candidates);
        if (candidate !== seller && canPay(candidate, currency, price)) return candidate;
      }
      return undefined;
    },
    /** Records that the buyer pays the price and the seller receives the proceeds. */
    recordSale: (buyer: Address, seller: Address, currency: Currency, price: bigint): void => {
      holdings.deduct(tokenOf(currency), buyer, price);
      holdings.receive(tokenOf(currency), seller, splitPrice(price).seller);
    },
  };
};

export type BuyerFunds = ReturnType<typeof createBuyerFunds>;
