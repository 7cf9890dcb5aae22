import type { Address } from "../../../lib/hex.ts";
import { memoizeText } from "../../../lib/memoize-text.ts";
import { skeletonOf } from "./homoglyphs.ts";
import type { Rules, Stablecoin } from "./rules.ts";

/** What a symbol is to the stablecoins of the rules. */
export type Likeness =
  | { readonly kind: "genuine" | "by-symbol" | "fake" | "look-alike"; readonly coin: Stablecoin }
  | { readonly kind: "none" };

interface StablecoinCandidate {
  readonly chainId: number;
  readonly address: Address;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const unlike: Likeness = { kind: "none" };
/** Symbols whose likeness is kept. */
const maxSymbols = 20_000;
const lowerCase = (symbol: string): string => symbol.normalize("NFC").trim().toLowerCase();

/** Whether a token is a stablecoin; `named` leaves the search for look-alikes out. */
export interface Stablecoins {
  named(token: StablecoinCandidate): Likeness;
  likenessOf(token: StablecoinCandidate): Likeness;
}

/**
 * Finds out whether a token is a stablecoin: by its address, or on chains for which the rules have no address by symbol and decimals.
 * The symbol elsewhere on a chain that has one is a fake, and one that only looks the same is a look-alike on every chain.
 */
export function createStablecoins({ stablecoins }: Pick<Rules, "stablecoins">): Stablecoins {
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
  const exactOf = memoizeText((symbol) => bySymbol.get(lowerCase(symbol)), maxSymbols);
  const similarOf = memoizeText((symbol) => bySkeleton.get(skeletonOf(symbol)), maxSymbols);
  const named = ({ chainId, address, symbol, decimals }: StablecoinCandidate): Likeness | null => {
    const genuine = byAddress.get(`${chainId}:${address}`);
    if (genuine !== undefined) return { kind: "genuine", coin: genuine };
    if (symbol === null) return unlike;
    const coin = exactOf(symbol);
    if (coin === undefined) return null;
    if ((coin.addresses[String(chainId)]?.length ?? 0) > 0) return { kind: "fake", coin };
    return decimals !== null && coin.decimals.includes(decimals) ? { kind: "by-symbol", coin } : unlike;
  };
  const similar = ({ symbol }: StablecoinCandidate): Likeness => {
    const coin = similarOf(symbol ?? "");
    return coin === undefined ? unlike : { kind: "look-alike", coin };
  };
  return { named: (token) => named(token) ?? unlike, likenessOf: (token) => named(token) ?? similar(token) };
}
