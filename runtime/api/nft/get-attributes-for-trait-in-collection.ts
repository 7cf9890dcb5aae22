import { notFound, unsupportedValue } from "../../lib/request-error.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireCollection } from "./collection.ts";
import { viewTraitValues } from "./traits.ts";

/**
 * The values of one trait. @throws {RequestError} 404 if the collection is unknown or no token has the trait, 400 if the trait has more values than a
 * response may list.
 */
export const getAttributesForTraitInCollection: Handlers["getAttributesForTraitInCollection"] = async (request, context) => {
  const { chain, collectionContract, trait: name } = request;
  const trait = await context.nftMetadata.trait(chain.id, collectionContract, name);
  if (trait === null) {
    await requireCollection(context, chain, collectionContract);
    throw notFound("Trait", name, chain.name);
  }
  const max = context.limits.responseRows;
  if (trait.unique_values > max) throw unsupportedValue("trait", name, `a trait with at most ${max} different values`);
  const values = await context.nftMetadata.traitValues(chain.id, collectionContract, [trait.trait], max);
  return { updated_at: updatedAt(context.contentTime()), items: [viewTraitValues(trait, values.get(trait.trait) ?? [])] };
};
