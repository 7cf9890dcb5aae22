import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { traitsOf } from "./traits.ts";

/** A collection's trait names. @throws {RequestError} 404 if the collection is unknown. */
export const getTraitsForCollection: Handlers["getTraitsForCollection"] = async ({ chain, collectionContract }, context) => {
  const traits = await traitsOf(context, chain, collectionContract);
  return { updated_at: updatedAt(context.contentTime()), items: traits.map(({ trait }) => ({ name: trait })) };
};
