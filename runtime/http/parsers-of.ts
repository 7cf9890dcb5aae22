import type { Operation } from "../../generated/operations.gen.ts";
import type { Chain, Hex, Parsers } from "../../generated/requests.gen.ts";
import type { RequestLimits } from "../config/limits.ts";
import { type BitcoinChain, createBitcoinParsers } from "../parameters/bitcoin.ts";
import { createParsers } from "../parameters/parsers.ts";
import type { GroupedChain } from "../parameters/restriction.ts";

export interface ParsersDeps {
  readonly chains: readonly GroupedChain[];
  /** Bitcoin chains, which only Bitcoin protocols' operations serve; none by default. */
  readonly bitcoin?: { readonly chains: readonly BitcoinChain[]; readonly serves: (protocol: string) => boolean };
  readonly limits: Pick<RequestLimits, "listItems">;
  readonly resolveName: (chain: Chain | null, name: string) => Promise<Hex | null>;
}

/** An operation's parsers, by kind of chain. */
export function createParsersOf({ chains, bitcoin, limits: { listItems }, resolveName }: ParsersDeps): (operation: Operation) => Parsers {
  const bitcoinChains = bitcoin?.chains ?? [];
  const evm = createParsers({ chains, bitcoinChains, listItems, resolveName });
  const bitcoinParsers = createBitcoinParsers(evm, { chains: bitcoinChains, evmChains: chains });
  return ({ protocol }) => (protocol !== null && bitcoin?.serves(protocol) === true ? bitcoinParsers : evm);
}
