import { notFound, unsupportedValue } from "../../lib/request-error.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireCollection } from "./collection.ts";
import { viewValues } from "./traits.ts";

/**
 * The values of one trait. @throws {notFound} for an unknown collection, or a trait that no token has. @throws {unsupportedValue} for a trait with more
 * values than one response may list.
 */
export const getAttributesForTraitInCollection: Handlers["getAttributesForTraitInCollection"] = async (request, context) => {
  const { chain, collectionContract, trait: name } = request;
  const trait = await context.nftMetadata.trait(chain.id, collectionContract, name);
  if (trait === null) {
    await requireCollection(context, chain, collectionContract);
    throw notFound("Trait", name, chain.name);
  }
  const max = context.limits.answerRows;
  if (trait.unique_values > max) throw unsupportedValue("trait", name, `a trait with at most ${max} different values`);
  const values = await context.nftMetadata.traitValues(chain.id, collectionContract, [trait.trait], max);
  return { updated_at: updatedAt(context.now()), items: [viewValues(trait, values.get(trait.trait) ?? [])] };
};
