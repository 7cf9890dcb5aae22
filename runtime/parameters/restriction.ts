import type { Chain } from "../../generated/requests.gen.ts";

/** A configured chain and its network groups. */
export interface GroupedChain extends Chain {
  readonly groups: readonly string[];
}

/** Checks that a chain is in a network group: null if it is, otherwise the names of the configured chains in it. */
export function createRestriction(chains: readonly GroupedChain[]): (chain: Chain, group: string) => readonly string[] | null {
  return (chain, group) => {
    const members = chains.filter((member) => member.groups.includes(group));
    return members.some((member) => member.id === chain.id) ? null : members.map((member) => member.name);
  };
}
