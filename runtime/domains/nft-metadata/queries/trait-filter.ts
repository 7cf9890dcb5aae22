/** Selects tokens with one of these traits and one of these values; null matches any. */
export interface TraitFilter {
  readonly traits: readonly string[] | null;
  readonly values: readonly string[] | null;
}

/** Max characters of a trait or a value that `nft_attributes` stores. */
const storedCharacters = 256;

/** The filter of a request, truncated to what `nft_attributes` stores; null if it excludes nothing. */
export const traitFilter = (traits: readonly string[] | null, values: readonly string[] | null): TraitFilter | null =>
  traits === null && values === null ? null : { traits: traits?.map(truncate) ?? null, values: values?.map(truncate) ?? null };

/** Truncates between characters, like the stored values. */
const truncate = (text: string): string => [...text].slice(0, storedCharacters).join("");
