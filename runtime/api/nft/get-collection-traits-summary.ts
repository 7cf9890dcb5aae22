import type { NftTraitNumeric, NftTraitString } from "../../../generated/responses.gen.ts";
import type { TraitRow, TraitValue } from "../../domains/nft-metadata/queries/traits.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { traitsOf, viewTraitValues } from "./traits.ts";

/** The values of each of a collection's traits and their frequencies. @throws {RequestError} 404 if the collection is unknown. */
export const getCollectionTraitsSummary: Handlers["getCollectionTraitsSummary"] = async ({ chain, collectionContract }, context) => {
  const traits = await traitsOf(context, chain, collectionContract);
  const max = maxValuesPerTrait(traits, context.limits.responseRows);
  const [truncated, complete] = [traits.filter((trait) => trait.unique_values > max), traits.filter((trait) => trait.unique_values <= max)];
  const namesOf = (rows: readonly TraitRow[]): string[] => rows.map(({ trait }) => trait);
  const [all, first, documents] = await Promise.all([
    context.nftMetadata.traitValues(chain.id, collectionContract, namesOf(complete), max),
    context.nftMetadata.traitValues(chain.id, collectionContract, namesOf(truncated), 1),
    context.nftMetadata.documentCount(chain.id, collectionContract),
  ]);
  return {
    updated_at: updatedAt(context.contentTime()),
    items: traits.map((trait) => {
      const values = all.get(trait.trait) ?? null;
      const [mostFrequent] = values ?? first.get(trait.trait) ?? [];
      const type = typeOf(trait);
      return {
        name: trait.trait,
        value_type: type,
        value_numeric: type === "numeric" ? viewRange(trait) : null,
        value_string: type === "string" && mostFrequent !== undefined ? viewFrequent(mostFrequent, documents) : null,
        attributes: values === null ? null : [viewTraitValues(trait, values)],
      };
    }),
  };
};

/** How many values each trait may list: all of them if the response may list that many rows, else an equal share. */
const maxValuesPerTrait = (traits: readonly TraitRow[], maxRows: number): number => {
  const total = traits.reduce((sum, trait) => sum + trait.unique_values, 0);
  return total <= maxRows ? maxRows : Math.floor(maxRows / traits.length);
};

const typeOf = ({ entries, numbers, without_value: missing }: TraitRow): "numeric" | "string" | null => {
  if (entries === missing) return null;
  return numbers === entries - missing ? "numeric" : "string";
};

const viewRange = ({ lowest, highest }: TraitRow): NftTraitNumeric => ({ min: asNumber(lowest), max: asNumber(highest) });

/** The nearest double; null if the value exceeds the double range. */
const asNumber = (digits: string | null): number | null => (digits !== null && Number.isFinite(Number(digits)) ? Number(digits) : null);

const viewFrequent = ({ value, tokens }: TraitValue, documents: number): NftTraitString => ({
  value,
  token_count: tokens,
  trait_percentage: documents === 0 ? null : (100 * tokens) / documents,
});
