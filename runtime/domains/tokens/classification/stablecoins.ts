import type { Address } from "../../../lib/hex.ts";
import { skeletonOf } from "./homoglyphs.ts";
import type { Rules, Stablecoin } from "./rules.ts";

/** What a symbol is to the stablecoins of the rules. */
export type Likeness =
  | { readonly kind: "genuine" | "by-symbol" | "fake" | "look-alike"; readonly coin: Stablecoin }
  | { readonly kind: "none" };

interface Asked {
  readonly chainId: number;
  readonly address: Address;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const lowerCase = (symbol: string): string => symbol.normalize("NFC").trim().toLowerCase();

/**
 * Finds out whether a token is a stablecoin: by its address, or on chains for which the rules have no address by symbol and decimals.
 * The symbol elsewhere on a chain that has one is a fake, and one that only looks the same is a look-alike on every chain.
 */
export function createStablecoins({ stablecoins }: Pick<Rules, "stablecoins">): (token: Asked) => Likeness {
  const byAddress = new Map<string, Stablecoin>();
  const bySymbol = new Map<string, Stablecoin>();
  const bySkeleton = new Map<string, Stablecoin>();
  for (const coin of stablecoins) {
    for (const [chain, addresses] of Object.entries(coin.addresses)) {
      for (const address of addresses) byAddress.set(`${chain}:${address}`, coin);
    }
    bySymbol.set(lowerCase(coin.symbol), coin);
    bySkeleton.set(skeletonOf(coin.symbol), coin);
  }
  return ({ chainId, address, symbol, decimals }) => {
    const genuine = byAddress.get(`${chainId}:${address}`);
    if (genuine !== undefined) return { kind: "genuine", coin: genuine };
    if (symbol === null) return { kind: "none" };
    const named = bySymbol.get(lowerCase(symbol));
    if (named !== undefined) {
      if ((named.addresses[String(chainId)]?.length ?? 0) > 0) return { kind: "fake", coin: named };
      return decimals !== null && named.decimals.includes(decimals) ? { kind: "by-symbol", coin: named } : { kind: "none" };
    }
    const similar = bySkeleton.get(skeletonOf(symbol));
    return similar === undefined ? { kind: "none" } : { kind: "look-alike", coin: similar };
  };
}
