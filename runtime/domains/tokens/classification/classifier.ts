import type { Address } from "../../../lib/hex.ts";
import { memoizeText } from "../../../lib/memoize-text.ts";
import { standards } from "../projection/standards.ts";
import { createLureFinder, createWordFinder } from "./lures.ts";
import { type Counterparties, type Counterparty, createCounterparties, judgePoisoning, type SeenTransfer } from "./poisoning.ts";
import type { Rules } from "./rules.ts";
import { createStablecoins } from "./stablecoins.ts";
import { ruled, unruled, type Verdict } from "./verdict.ts";

/** `type` of a balance. */
export type TokenType = "cryptocurrency" | "stablecoin" | "nft" | "dust";

/** What the rules look at of a token. */
export interface ClassifiedToken {
  readonly chainId: number;
  readonly address: Address;
  /** The number of the standard that the balance is of (0 native, 1 ERC-20, 2 ERC-721, 3 ERC-1155). */
  readonly standard: number;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

/** Says what tokens and transfers are, and by which rule. */
export interface Classifier {
  /** `worthUsd` is what the balance is worth; null where no price is known, then it is no dust. */
  typeOf(token: ClassifiedToken, worthUsd: number | null): Verdict<TokenType>;
  /** `handedOut` says that its first transfers went to many in few transactions; it is asked only of tokens that `mayBeAirdrop`. */
  isSpam(token: ClassifiedToken, handedOut?: boolean): Verdict<boolean>;
  /** Whether it would be spam if it was handed out. */
  mayBeAirdrop(token: ClassifiedToken): boolean;
  isPoisoning(transfer: SeenTransfer, counterparties: Counterparties): Verdict<boolean>;
  /** Prepares those whom a wallet dealt with for `isPoisoning`. */
  counterpartiesOf(counterparties: Iterable<Counterparty>): Counterparties;
  /** By how much the last two look for what they judge by. */
  readonly sampling: { readonly airdrops: Rules["airdrops"]; readonly poisoning: Rules["poisoning"] };
}

/** Names and symbols whose verdicts are kept. */
const maxTexts = 20_000;
/** Characters that are kept, and shown, of what is found in one. */
const maxFoundCharacters = 100;

/** The beginning of a text as a string of its own: a slice would hold the whole text in memory. */
const boundedCopy = (text: string): string =>
  Buffer.from([...text.slice(0, 2 * maxFoundCharacters)].slice(0, maxFoundCharacters).join("")).toString();

/** A classifier by rules; pure. What it finds in a text is kept: the names of a wallet's tokens are judged with each request. */
export function createClassifier(rules: Rules): Classifier {
  const stablecoins = createStablecoins(rules);
  const findLure = createLureFinder(rules);
  const findAirdropWord = createWordFinder(rules.airdrops.words);
  const lureIn = memoizeText((text) => {
    const lure = findLure(text);
    return lure === null ? null : { ...lure, found: boundedCopy(lure.found) };
  }, maxTexts);
  const airdropWordIn = memoizeText((text) => {
    const word = findAirdropWord(text);
    return word === null ? null : boundedCopy(word);
  }, maxTexts);
  const trusted = listed(rules.trusted);
  const spam = listed(rules.spam);

  const typeOf = (token: ClassifiedToken, worthUsd: number | null): Verdict<TokenType> => {
    if (token.standard === standards.erc721 || token.standard === standards.erc1155) {
      return ruled("nft", "standard", "It is a token of ERC-721 or ERC-1155.");
    }
    if (worthUsd !== null && worthUsd < rules.dust.belowUsd)
      return ruled("dust", "dust", `It is worth less than ${rules.dust.belowUsd} USD.`);
    const likeness = token.standard === standards.native ? { kind: "none" as const } : stablecoins.named(token);
    if (likeness.kind === "genuine") return ruled("stablecoin", "stablecoin-address", `It is ${likeness.coin.symbol} by its address.`);
    if (likeness.kind === "by-symbol") {
      return ruled(
        "stablecoin",
        "stablecoin-symbol",
        `It is ${likeness.coin.symbol} by its symbol and decimals; the rules name no address on this chain.`,
      );
    }
    return unruled("cryptocurrency");
  };

  const isSpam = (token: ClassifiedToken, handedOut = false): Verdict<boolean> => {
    if (token.standard === standards.native) return unruled(false);
    const key = keyOf(token.chainId, token.address);
    if (trusted.has(key)) return ruled(false, "trusted", "The rules trust its address.");
    if (spam.has(key)) return ruled(true, "spam-list", "The rules list its address as spam.");
    const likeness = stablecoins.likenessOf(token);
    if (likeness.kind === "genuine") return ruled(false, "stablecoin-address", `It is ${likeness.coin.symbol} by its address.`);
    if (likeness.kind === "fake") {
      return ruled(true, "fake-stablecoin", `It has the symbol ${likeness.coin.symbol}, whose addresses on this chain are others.`);
    }
    if (likeness.kind === "look-alike") {
      return ruled(true, "look-alike-symbol", `Its symbol looks like ${likeness.coin.symbol} and is another.`);
    }
    const byText = judgeTexts(token);
    if (byText.answer || !handedOut) return byText;
    const word = airdropWordOf(token);
    return word === null
      ? byText
      : ruled(
          true,
          "airdrop",
          `Its name or symbol holds the word ${JSON.stringify(word)}, and it was handed out to many in few transactions.`,
        );
  };

  const airdropWordOf = ({ name, symbol }: ClassifiedToken): string | null =>
    [name, symbol].map((text) => (text === null ? null : airdropWordIn(text))).find((word) => word !== null) ?? null;

  const judgeTexts = ({ name, symbol }: ClassifiedToken): Verdict<boolean> => {
    for (const text of [name, symbol]) {
      const lure = text === null ? null : lureIn(text);
      if (lure === null) continue;
      const what = lure.rule === "web-address" ? "the web address" : "the word";
      return ruled(true, lure.rule, `Its name or symbol holds ${what} ${JSON.stringify(lure.found)}.`);
    }
    return unruled(false);
  };

  return {
    typeOf,
    isSpam,
    // Hardly any has such a word: it is looked for first. Where another rule applies, how it was handed out does not matter.
    mayBeAirdrop: (token) => token.standard !== standards.native && airdropWordOf(token) !== null && isSpam(token).rule === null,
    isPoisoning: (transfer, counterparties) => judgePoisoning(rules, transfer, counterparties),
    counterpartiesOf: (counterparties) => createCounterparties(rules, counterparties),
    sampling: { airdrops: rules.airdrops, poisoning: rules.poisoning },
  };
}

const keyOf = (chainId: number | string, address: Address): string => `${chainId}:${address}`;

const listed = (byChain: Rules["trusted"]): ReadonlySet<string> =>
  new Set(Object.entries(byChain).flatMap(([chain, addresses]) => addresses.map((address) => keyOf(chain, address))));
