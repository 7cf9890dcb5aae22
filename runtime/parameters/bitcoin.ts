import type { AddressReference, Chain, Parsed, Parsers } from "../../generated/requests.gen.ts";
import { scriptOf } from "../lib/bitcoin/address.ts";
import { type BitcoinNetwork, bitcoinNetworks } from "../lib/bitcoin/networks.ts";
import { createChainParser } from "./chain.ts";
import { parseList } from "./list.ts";
import { accept, reject } from "./parsed.ts";

/** A configured Bitcoin chain. */
export interface BitcoinChain extends Chain {
  readonly network: BitcoinNetwork;
}

export interface BitcoinParserSettings {
  readonly chains: readonly BitcoinChain[];
  readonly evmChains: readonly Chain[];
}

/**
 * Parsers for operations on Bitcoin chains; parameters other than chains and addresses are parsed as on EVM chains. Like a name on EVM
 * chains, an address is resolved later, to its output script, because its validity depends on the chain's network.
 */
export function createBitcoinParsers(parsers: Parsers, { chains, evmChains }: BitcoinParserSettings): Parsers {
  const networks = chains.length === 0 ? Object.values<BitcoinNetwork>(bitcoinNetworks) : chains.map(({ network }) => network);
  const addressExpected = describeAddresses(chains);
  const address = (text: string): Parsed<AddressReference> =>
    networks.some((network) => scriptOf(network, text) !== null) ? accept({ name: text }) : reject(addressExpected);
  const networkOf = (chain: Chain | null): BitcoinNetwork | undefined =>
    (chain === null ? chains[0] : chains.find(({ id }) => id === chain.id))?.network ?? networks[0];
  return {
    ...parsers,
    chain: createChainParser(chains, { chains: evmChains, reason: "an EVM chain; this endpoint is for Bitcoin chains" }),
    address,
    addressList: (text, { maxItems = 1 }) => parseList(text, maxItems, addressExpected, address),
    resolveName: async (chain, text) => {
      const network = networkOf(chain);
      return network === undefined ? null : scriptOf(network, text);
    },
    addressExpected,
  };
}

/** Describes the chains' valid addresses. */
const describeAddresses = (chains: readonly BitcoinChain[]): string => {
  const forms = chains.map(({ name, network }) => `${network.forms} on ${name}`).join("; ");
  return `a valid address of the Bitcoin chain${forms === "" ? "" : ` (${forms})`}`;
};
