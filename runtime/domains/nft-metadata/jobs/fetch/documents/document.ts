/** A trait in the form that answers have; what the metadata leaves out is null. */
export interface NftAttribute {
  readonly trait_type: string | null;
  readonly value: string | null;
}

/** A trait as it is counted: `number` is the value where the metadata gives a number, exactly, as decimal text. */
export interface CountedAttribute {
  readonly trait: string;
  readonly value: string | null;
  readonly number: string | null;
}

/** What a token's metadata says, cleaned: hostile text is out of it, addresses are of accepted schemes, and what was left out is named. */
export interface NftDocument {
  /** The text as it came. */
  readonly document: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly image: string | null;
  readonly animationUrl: string | null;
  readonly externalUrl: string | null;
  /** The owner that the metadata itself names, unchecked. */
  readonly owner: string | null;
  /** Null where the metadata lists none. */
  readonly attributes: readonly NftAttribute[] | null;
  readonly counted: readonly CountedAttribute[];
  /** Size of the asset where the document itself contains it (`data:`). */
  readonly assetBytes: number | null;
  /** What of the document was left out, and why; null where nothing was. */
  readonly refusal: string | null;
}

/** What reading a token's metadata came to: a document, or the reason why there is none, and whether trying again later may help. */
export type DocumentOutcome =
  | { readonly ok: true; readonly document: NftDocument }
  | { readonly ok: false; readonly refusal: string; readonly isLasting: boolean };

/** Reads the document that a token's URL leads to, whatever the scheme, within bounds. Never throws. */
export type ReadDocument = (url: string, signal: AbortSignal) => Promise<DocumentOutcome>;
