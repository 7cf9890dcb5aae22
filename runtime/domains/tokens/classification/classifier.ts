import type { Address } from "../../../lib/hex.ts";
import { memoizeText } from "../../../lib/memoize-text.ts";
import { standards } from "../projection/standards.ts";
import { createLureFinder, createWordFinder, type Lure } from "./lures.ts";
import { type Counterparties, type Counterparty, classifyPoisoning, createCounterparties, type WalletTransfer } from "./poisoning.ts";
import type { Rules } from "./rules.ts";
import { createStablecoinMatcher, type StablecoinMatch, type StablecoinMatcher } from "./stablecoins.ts";
import { byDefault, byRule, type Verdict } from "./verdict.ts";

/** `type` of a balance. */
export type TokenType = "cryptocurrency" | "stablecoin" | "nft" | "dust";

/** The properties of a token that rules depend on. */
export interface ClassifiedToken {
  readonly chainId: number;
  readonly address: Address;
  /** The balance's standard (0 native, 1 ERC-20, 2 ERC-721, 3 ERC-1155). */
  readonly standard: number;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
}

/** Classifies tokens and transfers by rules. */
export interface Classifier {
  /** The type of a balance worth `valueUsd`; an unknown value (null) is not dust. */
  typeOf(token: ClassifiedToken, valueUsd: number | null): Verdict<TokenType>;
  /** `isAirdropped`: whether the token's first transfers had many receivers in few transactions; has an effect only if the token `mayBeAirdrop`. */
  isSpam(token: ClassifiedToken, isAirdropped?: boolean): Verdict<boolean>;
  /** Whether the token is spam only if it was airdropped. */
  mayBeAirdrop(token: ClassifiedToken): boolean;
  isPoisoning(transfer: WalletTransfer, counterparties: Counterparties): Verdict<boolean>;
  /** Indexes a wallet's counterparties for `isPoisoning`. */
  counterpartiesOf(counterparties: Iterable<Counterparty>): Counterparties;
  /** How much history the rules on airdrops and poisoning require. */
  readonly sampling: { readonly airdrops: Rules["airdrops"]; readonly poisoning: Rules["poisoning"] };
}

/** A classifier without side effects. Matches of names and symbols are cached, because each request classifies all tokens of a wallet. */
export function createClassifier(rules: Rules): Classifier {
  const stablecoins = createStablecoinMatcher(rules);
  const texts = createTextMatcher(rules);
  const isSpam = createSpamRules(rules, stablecoins, texts);
  return {
    typeOf: (token, valueUsd) => typeOf(rules, stablecoins, token, valueUsd),
    isSpam,
    // Airdrop words are checked first, because few names contain one. If another rule applies, an airdrop does not matter.
    mayBeAirdrop: (token) => token.standard !== standards.native && texts.airdropWordOf(token) !== null && isSpam(token).rule === null,
    isPoisoning: (transfer, counterparties) => classifyPoisoning(rules, transfer, counterparties),
    counterpartiesOf: (counterparties) => createCounterparties(rules, counterparties),
    sampling: { airdrops: rules.airdrops, poisoning: rules.poisoning },
  };
}

const typeOf = (rules: Rules, stablecoins: StablecoinMatcher, token: ClassifiedToken, valueUsd: number | null): Verdict<TokenType> => {
  if (token.standard === standards.erc721 || token.standard === standards.erc1155) {
    return byRule("nft", "standard", "The token implements ERC-721 or ERC-1155.");
  }
  if (valueUsd !== null && valueUsd < rules.dust.belowUsd) {
    return byRule("dust", "dust", `The balance is worth less than ${rules.dust.belowUsd} USD.`);
  }
  if (token.standard === standards.native) return byDefault("cryptocurrency");
  const match = stablecoins.matchExact(token);
  if (match.kind === "genuine") return byRule("stablecoin", "stablecoin-address", genuineReason(match));
  if (match.kind === "by-symbol") {
    const reason = `The symbol and decimals match ${match.coin.symbol}; the rules list no address for it on this chain.`;
    return byRule("stablecoin", "stablecoin-symbol", reason);
  }
  return byDefault("cryptocurrency");
};

const genuineReason = ({ coin }: Extract<StablecoinMatch, { coin: unknown }>): string => `The rules list the address as ${coin.symbol}.`;

/** The spam rules, in the order in which they apply. */
const createSpamRules = (rules: Rules, stablecoins: StablecoinMatcher, texts: TextMatcher): Classifier["isSpam"] => {
  const trusted = addressSet(rules.trusted);
  const spam = addressSet(rules.spam);
  return (token, isAirdropped = false) => {
    if (token.standard === standards.native) return byDefault(false);
    const key = keyOf(token.chainId, token.address);
    if (trusted.has(key)) return byRule(false, "trusted", "The rules list the address as trusted.");
    if (spam.has(key)) return byRule(true, "spam-list", "The rules list the address as spam.");
    const match = stablecoins.match(token);
    if (match.kind === "genuine") return byRule(false, "stablecoin-address", genuineReason(match));
    if (match.kind === "fake") {
      return byRule(true, "fake-stablecoin", `The symbol is ${match.coin.symbol}, which has another address on this chain.`);
    }
    if (match.kind === "look-alike") {
      return byRule(true, "look-alike-symbol", `The symbol looks like ${match.coin.symbol} but differs from it.`);
    }
    return isSpamByText(texts, token, isAirdropped);
  };
};

const isSpamByText = (texts: TextMatcher, token: ClassifiedToken, isAirdropped: boolean): Verdict<boolean> => {
  const lure = texts.lureOf(token);
  if (lure !== null) {
    const kind = lure.rule === "web-address" ? "web address" : "word";
    return byRule(true, lure.rule, `The name or symbol contains the ${kind} ${JSON.stringify(lure.found)}.`);
  }
  const word = isAirdropped ? texts.airdropWordOf(token) : null;
  if (word === null) return byDefault(false);
  const reason = `The name or symbol contains the word ${JSON.stringify(word)}, and the token was sent to many accounts in few transactions.`;
  return byRule(true, "airdrop", reason);
};

type Texts = Pick<ClassifiedToken, "name" | "symbol">;

/** Finds lures and airdrop words in names and symbols. */
interface TextMatcher {
  lureOf(texts: Texts): Lure | null;
  airdropWordOf(texts: Texts): string | null;
}

/** Max names and symbols whose matches are cached. */
const maxTexts = 20_000;
/** Max characters of a match that are cached and shown. */
const maxMatchCharacters = 100;

const createTextMatcher = (rules: Rules): TextMatcher => {
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
  return {
    lureOf: ({ name, symbol }) => (name === null ? null : lureIn(name)) ?? (symbol === null ? null : lureIn(symbol)),
    airdropWordOf: ({ name, symbol }) => (name === null ? null : airdropWordIn(name)) ?? (symbol === null ? null : airdropWordIn(symbol)),
  };
};

/** Copies the first characters of a text: a slice would keep the entire text in memory. */
const boundedCopy = (text: string): string =>
  Buffer.from([...text.slice(0, 2 * maxMatchCharacters)].slice(0, maxMatchCharacters).join("")).toString();

const keyOf = (chainId: number | string, address: Address): string => `${chainId}:${address}`;

const addressSet = (byChain: Rules["trusted"]): ReadonlySet<string> =>
  new Set(Object.entries(byChain).flatMap(([chain, addresses]) => addresses.map((address) => keyOf(chain, address))));
