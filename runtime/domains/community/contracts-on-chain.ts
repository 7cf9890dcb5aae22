import type { Protocol } from "../../declarations/protocol.ts";
import type { Address } from "../../lib/hex.ts";

/** Contracts that an operator adds to declared protocols: by protocol, then by the kind of contract. */
export type ConfiguredContracts = Readonly<Record<string, Readonly<Record<string, readonly Address[]>>>>;

/** The chain configuration that declared protocols depend on. */
export interface CommunityChain {
  readonly name: string;
  readonly community: ConfiguredContracts;
}

/** The deployment block of each contract, before which its events are ignored; null if unknown. */
export type FirstBlocks = ReadonlyMap<Address, number | null>;

/** A protocol's contracts at fixed addresses, by kind. */
export type FixedContracts = ReadonlyMap<string, FirstBlocks>;

/** A protocol's fixed contracts on a chain, from the declaration and the configuration. */
export const fixedContracts = (protocol: Protocol, chain: CommunityChain): FixedContracts => {
  const added = chain.community[protocol.id] ?? {};
  return new Map(
    Object.entries(protocol.contracts).map(([kind, { networks }]) => {
      const blocks = new Map<Address, number | null>((networks[chain.name] ?? []).map(({ address, from }) => [address, from]));
      // A declared contract keeps its deployment block if the operator configures it as well.
      for (const address of added[kind] ?? []) if (!blocks.has(address)) blocks.set(address, null);
      return [kind, blocks];
    }),
  );
};

/** The protocols indexed on a chain: they have tables and at least one contract at a fixed address. */
export const protocolsOn = (protocols: readonly Protocol[], chain: CommunityChain): Protocol[] =>
  protocols.filter(
    (protocol) => protocol.tables.length > 0 && [...fixedContracts(protocol, chain).values()].some((addresses) => addresses.size > 0),
  );
