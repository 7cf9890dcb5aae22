import type { Chain, Hex, Parsers } from "../../generated/requests.gen.ts";
import { addressExpected, parseAddress } from "./address.ts";
import { parseBoolean } from "./boolean.ts";
import { createChainParser } from "./chain.ts";
import { parseChoice } from "./choice.ts";
import { parseCurrency } from "./currency.ts";
import { parseDate, parseDateOrLatest } from "./date.ts";
import { parseHash } from "./hash.ts";
import { parseBlock, parseHeight } from "./height.ts";
import { parseInteger } from "./integer.ts";
import { parseList } from "./list.ts";
import { createRestriction, type GroupedChain } from "./restriction.ts";
import { parseText, textExpected } from "./text.ts";
import { parseTokenId } from "./token-id.ts";
import { parseTopic, topicExpected } from "./topic.ts";

export interface ParserSettings {
  readonly chains: readonly GroupedChain[];
  /** Chains that these parsers reject with a reason. */
  readonly bitcoinChains?: readonly Chain[];
  /** The max length of every comma-separated list; a parameter may have a lower one. */
  readonly listItems: number;
  /** The address that a name is registered for, or null; `chain` is null if the path has none. */
  readonly resolveName: (chain: Chain | null, name: string) => Promise<Hex | null>;
}

/** Creates the parsers of the generated request code, one per parameter type. */
export function createParsers({ chains, bitcoinChains = [], listItems, resolveName }: ParserSettings): Parsers {
  const maxItemsOf = (limits: { readonly maxItems?: number }): number => Math.min(limits.maxItems ?? listItems, listItems);
  return {
    chain: createChainParser(chains, { chains: bitcoinChains, reason: "a Bitcoin chain; this endpoint is for EVM chains" }),
    address: parseAddress,
    addressList: (text, limits) => parseList(text, maxItemsOf(limits), addressExpected, parseAddress),
    hash: parseHash,
    topicList: (text, limits) => parseList(text, maxItemsOf(limits), topicExpected, parseTopic),
    height: parseHeight,
    block: parseBlock,
    date: parseDate,
    dateOrLatest: parseDateOrLatest,
    integer: parseInteger,
    boolean: parseBoolean,
    currency: parseCurrency,
    choice: parseChoice,
    text: parseText,
    textList: (text, limits) => parseList(text, maxItemsOf(limits), textExpected, parseText),
    tokenId: parseTokenId,
    resolveName,
    restriction: createRestriction(chains),
    addressExpected,
  };
}
