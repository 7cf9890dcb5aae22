/** Which traits a token has to have: one of these traits with one of these values; null is any. */
export interface TraitFilter {
  readonly traits: readonly string[] | null;
  readonly values: readonly string[] | null;
}

/** What stands of a trait or a value in `nft_attributes`. */
const keptCharacters = 256;

/** A filter as a query has it, of what `nft_attributes` can hold; null where it keeps everything. */
export const traitFilter = (traits: readonly string[] | null, values: readonly string[] | null): TraitFilter | null =>
  traits === null && values === null ? null : { traits: traits?.map(kept) ?? null, values: values?.map(kept) ?? null };

/** Whole characters, as they are cut where they are kept. */
const kept = (text: string): string => [...text].slice(0, keptCharacters).join("");
