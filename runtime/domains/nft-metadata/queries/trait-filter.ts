/** Selects tokens with one of these traits and one of these values; null matches any. */
export interface TraitFilter {
  readonly traits: readonly string[] | null;
  readonly values: readonly string[] | null;
}

/** Max characters of a trait or a value that `nft_attributes` stores. */
const storedCharacters = 256;

/** The filter of a request, cut to what `nft_attributes` stores; null if it excludes nothing. */
export const traitFilter = (traits: readonly string[] | null, values: readonly string[] | null): TraitFilter | null =>
  traits === null && values === null ? null : { traits: traits?.map(stored) ?? null, values: values?.map(stored) ?? null };

/** Cut between characters, as in the table. */
const stored = (text: string): string => [...text].slice(0, storedCharacters).join("");
