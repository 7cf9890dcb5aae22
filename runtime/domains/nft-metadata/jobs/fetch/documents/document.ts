/** A trait as returned in responses; missing parts are null. */
export interface NftAttribute {
  readonly trait_type: string | null;
  readonly value: string | null;
}

/** A trait as counted: `number` is the exact decimal text of a numeric value. */
export interface CountedAttribute {
  readonly trait: string;
  readonly value: string | null;
  readonly number: string | null;
}

/** The sanitized metadata of a token: hostile text is removed, URLs have accepted schemes, and `refusal` lists what was omitted. */
export interface NftDocument {
  /** The text as received. */
  readonly text: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly image: string | null;
  readonly animationUrl: string | null;
  readonly externalUrl: string | null;
  /** The owner that the metadata names, unverified. */
  readonly owner: string | null;
  /** Null if the metadata has no attributes. */
  readonly attributes: readonly NftAttribute[] | null;
  readonly countedAttributes: readonly CountedAttribute[];
  /** The size of an asset that the document embeds (`data:`). */
  readonly assetBytes: number | null;
  /** What was omitted from the document and why; null if nothing was omitted. */
  readonly refusal: string | null;
}

/** The result of reading a document: its contents, or why there is none and whether a retry is pointless. */
export type DocumentOutcome =
  | { readonly ok: true; readonly document: NftDocument }
  | { readonly ok: false; readonly refusal: string; readonly isPermanent: boolean };

/** Reads the document at a token's URL, of any scheme, within bounds. Never throws. */
export type ReadDocument = (url: string, signal: AbortSignal) => Promise<DocumentOutcome>;
