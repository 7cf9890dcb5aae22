import { nearestName } from "../../config/nearest-name.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import type { CommunityChain } from "./contracts-on-chain.ts";

/** Why the contracts configured for a chain cannot be indexed; null if they can. */
export const configurationProblem = (protocols: readonly Protocol[], { name, community }: CommunityChain): string | null => {
  for (const [id, contracts] of Object.entries(community)) {
    const protocol = protocols.find((candidate) => candidate.id === id);
    const idsWithContracts = protocols.filter(({ contracts: kinds }) => Object.keys(kinds).length > 0).map((candidate) => candidate.id);
    if (protocol === undefined)
      return `Unknown protocol ${id} in the community setting of chain ${name}: ${hintFor(id, idsWithContracts, "no protocol has contracts")}`;
    const kinds = Object.keys(protocol.contracts);
    const unknown = Object.keys(contracts).find((kind) => !kinds.includes(kind));
    if (unknown !== undefined) {
      return `Unknown contract ${unknown} of protocol ${id} in the community setting of chain ${name}: ${hintFor(unknown, kinds, "the protocol has no contracts")}`;
    }
  }
  return null;
};

const hintFor = (name: string, candidates: readonly string[], whyNone: string): string => {
  const nearest = nearestName(name, candidates);
  if (nearest !== null) return `did you mean ${nearest}?`;
  return candidates.length === 0 ? `expected none, because ${whyNone}.` : `expected one of ${candidates.join(", ")}.`;
};
