import type { Address } from "../../../lib/hex.ts";
import { memoizeText } from "../../../lib/memoize-text.ts";
import { skeletonOf } from "./homoglyphs.ts";
import type { Rules, Stablecoin } from "./rules.ts";

/** The relation between a token and the stablecoins in the rules. */
export type StablecoinMatch =
  | { readonly kind: "genuine" | "by-symbol" | "fake" | "look-alike"; readonly coin: Stablecoin }
  | { readonly kind: "none" };

interface StablecoinCandidate {
  readonly chainId: number;
  readonly address: Address;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

const noMatch: StablecoinMatch = { kind: "none" };
/** Max number of symbols whose matches are cached. */
const maxSymbols = 20_000;
const normalizeSymbol = (symbol: string): string => symbol.normalize("NFC").trim().toLowerCase();

/** Matches tokens against the stablecoins in the rules. */
export interface StablecoinMatcher {
  /** Matches by address or by the exact symbol. */
  matchExact(token: StablecoinCandidate): StablecoinMatch;
  /** Like `matchExact`, and also matches symbols that only look like a stablecoin's. */
  match(token: StablecoinCandidate): StablecoinMatch;
}

/**
 * Matches tokens by address or, on chains without an address in the rules, by symbol and decimals. On a chain with an address in the rules, a token with the
 * symbol and a different address is a fake. A symbol that only looks the same is a look-alike on every chain.
 */
export function createStablecoinMatcher({ stablecoins }: Pick<Rules, "stablecoins">): StablecoinMatcher {
  const byAddress = new Map<string, Stablecoin>();
  const bySymbol = new Map<string, Stablecoin>();
  const bySkeleton = new Map<string, Stablecoin>();
  for (const coin of stablecoins) {
    for (const [chain, addresses] of Object.entries(coin.addresses)) {
      for (const address of addresses) byAddress.set(`${chain}:${address}`, coin);
    }
    bySymbol.set(normalizeSymbol(coin.symbol), coin);
    bySkeleton.set(skeletonOf(coin.symbol), coin);
  }
  const coinWithSymbol = memoizeText((symbol) => bySymbol.get(normalizeSymbol(symbol)), maxSymbols);
  const coinWithSkeleton = memoizeText((symbol) => bySkeleton.get(skeletonOf(symbol)), maxSymbols);
  /** Null if neither the address nor the exact symbol is a stablecoin's. */
  const matchExact = ({ chainId, address, symbol, decimals }: StablecoinCandidate): StablecoinMatch | null => {
    const genuine = byAddress.get(`${chainId}:${address}`);
    if (genuine !== undefined) return { kind: "genuine", coin: genuine };
    if (symbol === null) return noMatch;
    const coin = coinWithSymbol(symbol);
    if (coin === undefined) return null;
    if ((coin.addresses[String(chainId)]?.length ?? 0) > 0) return { kind: "fake", coin };
    return decimals !== null && coin.decimals.includes(decimals) ? { kind: "by-symbol", coin } : noMatch;
  };
  const matchLookAlike = ({ symbol }: StablecoinCandidate): StablecoinMatch => {
    const coin = coinWithSkeleton(symbol ?? "");
    return coin === undefined ? noMatch : { kind: "look-alike", coin };
  };
  return { matchExact: (token) => matchExact(token) ?? noMatch, match: (token) => matchExact(token) ?? matchLookAlike(token) };
}
