import type { Protocol } from "../../declarations/protocol.ts";
import type { Hash } from "../../lib/hex.ts";

/** The first topics of all events of a declaration, each once: those of tables and those that announce contracts. */
export const declaredTopics = ({ contracts, tables }: Pick<Protocol, "contracts" | "tables">): Hash[] => {
  const announcements = Object.values(contracts).flatMap(({ discoveredBy }) => discoveredBy.map(({ event }) => event));
  return [...new Set([...announcements, ...tables.flatMap(({ events }) => events)].map(({ topic0 }) => topic0))];
};
