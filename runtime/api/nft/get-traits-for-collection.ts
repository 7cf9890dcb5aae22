import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { traitsOf } from "./traits.ts";

/** The names of a collection's traits. @throws {notFound} for an unknown collection. */
export const getTraitsForCollection: Handlers["getTraitsForCollection"] = async ({ chain, collectionContract }, context) => {
  const traits = await traitsOf(context, chain, collectionContract);
  return { updated_at: updatedAt(context.now()), items: traits.map(({ trait }) => ({ name: trait })) };
};
