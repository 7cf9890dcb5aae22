import type { Chain } from "../../../generated/requests.gen.ts";
import type { NftSummaryAttribute } from "../../../generated/responses.gen.ts";
import type { TraitRow, TraitValue } from "../../domains/nft-metadata/queries/traits.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";
import { requireCollection } from "./collection.ts";

/** The traits of a collection, by name. @throws {RequestError} 404 if the collection is unknown, 400 if it has more traits than one response may list. */
export async function traitsOf(context: ResolverContext, chain: Chain, collection: Address): Promise<TraitRow[]> {
  const max = context.limits.responseRows;
  const traits = await context.nftMetadata.traits(chain.id, collection, max + 1);
  if (traits.length === 0) await requireCollection(context, chain, collection);
  if (traits.length > max) throw unsupportedValue("collectionContract", collection, `a collection with at most ${max} traits`);
  return traits;
}

/** A trait's values with their counts, most frequent first, then by value; tokens without a value follow values with the same frequency. */
export function viewTraitValues(
  trait: Pick<TraitRow, "trait" | "without_value" | "unique_values">,
  values: readonly TraitValue[],
): NftSummaryAttribute {
  const missing = trait.without_value;
  const index = missing === 0 ? values.length : values.findIndex(({ tokens }) => tokens < missing);
  const listed = values.map(({ value, tokens }) => ({ value, count: tokens }));
  if (missing > 0) listed.splice(index < 0 ? values.length : index, 0, { value: null, count: missing });
  return { trait_type: trait.trait, values: listed, unique_values: trait.unique_values };
}
