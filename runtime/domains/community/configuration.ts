import { nearestName } from "../../config/nearest-name.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import type { CommunityChain } from "./contracts-on-chain.ts";

/** Why the contracts configured for a chain cannot be indexed; null if they can. */
export const configurationProblem = (protocols: readonly Protocol[], { name, community }: CommunityChain): string | null => {
  for (const [id, contracts] of Object.entries(community)) {
    const protocol = protocols.find((known) => known.id === id);
    const known = protocols.filter(({ contracts: kinds }) => Object.keys(kinds).length > 0).map((other) => other.id);
    if (protocol === undefined)
      return `Unknown protocol ${id} in the community setting of chain ${name}: ${accepted(id, known, "no protocol has contracts")}`;
    const kinds = Object.keys(protocol.contracts);
    const unknown = Object.keys(contracts).find((kind) => !kinds.includes(kind));
    if (unknown !== undefined) {
      return `Unknown contract ${unknown} of protocol ${id} in the community setting of chain ${name}: ${accepted(unknown, kinds, "the protocol has no contracts")}`;
    }
  }
  return null;
};

const accepted = (name: string, known: readonly string[], whyNone: string): string => {
  const nearest = nearestName(name, known);
  if (nearest !== null) return `did you mean ${nearest}?`;
  return known.length === 0 ? `expected none, because ${whyNone}.` : `expected one of ${known.join(", ")}.`;
};
