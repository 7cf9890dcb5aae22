import type { Address } from "../../../lib/hex.ts";
import type { NftAttribute } from "./document.ts";

/** A token of a collection, by the standard that it was seen in. */
export interface NftKey {
  readonly token: Address;
  /** Digits. */
  readonly token_id: string;
  readonly standard: number;
}

/** What is known of a token's metadata, kept or just read. */
export interface NftMetadataRow {
  readonly token: Address;
  readonly token_id: string;
  readonly token_url: string | null;
  /** Why there is no document, or what of it was left out. */
  readonly refusal: string | null;
  /** Whether there is a document. */
  readonly has_document: boolean;
  readonly name: string | null;
  readonly description: string | null;
  readonly image: string | null;
  readonly animation_url: string | null;
  readonly external_url: string | null;
  readonly owner: string | null;
  readonly attributes: readonly NftAttribute[] | null;
  /** Size of an asset that the document itself contains. */
  readonly asset_bytes: number | null;
}

/** Reads metadata that is not kept, while a request waits. */
export interface UncachedMetadata {
  /** What could be read of some tokens within the chain's bound, the first so many of them; those that could not be are left out. Never throws. */
  read(chainId: number, tokens: readonly NftKey[]): Promise<readonly NftMetadataRow[]>;
}
