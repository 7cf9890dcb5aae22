import type { CopyValue } from "../../../../database/copy.ts";
import type { UpsertTarget } from "../../../../database/upsert.ts";
import type { Claim } from "./claims.ts";
import type { NftDocument } from "./documents/document.ts";

/** The result of reading a claimed token's metadata. */
export interface MetadataOutcome {
  readonly claim: Claim;
  /** The block as of which the contract was called. */
  readonly readAtBlock: number;
  readonly tokenUrl: string | null;
  readonly result: { readonly document: NftDocument } | { readonly refusal: string };
}

/** Max characters of a trait or a value for counts and filters: at four bytes per character, they fit into an index entry. */
const maxTraitLength = 256;
/** Max characters of a number; a longer one is stored as text only. */
const maxNumberLength = 100;
/** Max counted traits per document: their positions are int2. */
const maxTraits = 1_000;
/** Max characters of a stored URL. A longer one is not stored: it is a data: URL, which contains the document. */
const maxUrlLength = 4 * 1024 * 1024;

/** The table of stored metadata. */
export const metadataTarget: UpsertTarget = {
  table: "nft_metadata",
  key: ["chain_id", "token", "token_id"],
  columns: [
    "chain_id",
    "token",
    "token_id",
    "standard",
    "block_number",
    "read_at_block",
    "read_at",
    "token_url",
    "refusal",
    "document",
    "name",
    "description",
    "image",
    "animation_url",
    "external_url",
    "owner",
    "attributes",
    "asset_bytes",
  ],
  types: [
    "int8",
    "bytea",
    "numeric",
    "int2",
    "int8",
    "int8",
    "timestamptz",
    "text",
    "text",
    "text",
    "text",
    "text",
    "text",
    "text",
    "text",
    "text",
    "jsonb",
    "int8",
  ],
};

/** One row for each token, with its metadata or the reason why there is none. */
export function* metadataRows(chainId: number, now: Date, outcomes: readonly MetadataOutcome[]): Generator<CopyValue[]> {
  for (const { claim, readAtBlock, tokenUrl, result } of outcomes) {
    const document = "document" in result ? result.document : null;
    const refusal = "document" in result ? result.document.refusal : result.refusal;
    yield [
      chainId,
      claim.token,
      claim.token_id,
      claim.standard,
      claim.block_number,
      readAtBlock,
      now,
      tokenUrl === null || tokenUrl.length > maxUrlLength ? null : storable(tokenUrl),
      storable(refusal),
      storable(document?.text),
      storable(document?.name),
      storable(document?.description),
      storable(document?.image),
      storable(document?.animationUrl),
      storable(document?.externalUrl),
      storable(document?.owner),
      attributesJson(document),
      document?.assetBytes ?? null,
    ];
  }
}

/** PostgreSQL's text cannot contain NUL, and UTF-8 cannot encode lone surrogates; a document's escapes may contain both. */
const storable = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : text.replaceAll("\0", "").replace(loneSurrogates, "\ufffd");

const loneSurrogates = /\p{Surrogate}/gu;

const attributesJson = (document: NftDocument | null): string | null => {
  if (document === null || document.attributes === null) return null;
  return JSON.stringify(document.attributes.map(({ trait_type, value }) => ({ trait_type: storable(trait_type), value: storable(value) })));
};

export const attributeColumns = ["chain_id", "token", "token_id", "position", "read_at_block", "trait", "value", "number"] as const;
export const attributeTypes = ["int8", "bytea", "numeric", "int2", "int8", "text", "text", "numeric"] as const;

/** One row for each distinct trait and value of a token, so that counting rows counts tokens. */
export function* attributeRows(chainId: number, outcomes: readonly MetadataOutcome[]): Generator<CopyValue[]> {
  for (const { claim, readAtBlock, result } of outcomes) {
    if (!("document" in result)) continue;
    const seen = new Set<string>();
    for (const { trait, value, number } of result.document.countedAttributes) {
      const name = truncateTrait(storable(trait) ?? "");
      const stored = value === null ? null : truncateTrait(storable(value) ?? "");
      const key = JSON.stringify([name, stored]);
      if (seen.has(key) || seen.size === maxTraits) continue;
      seen.add(key);
      const isNumber = stored !== null && number !== null && number.length <= maxNumberLength && decimal.test(number);
      yield [chainId, claim.token, claim.token_id, seen.size - 1, readAtBlock, name, stored, isNumber ? number : null];
    }
  }
}

const decimal = /^-?\d+(?:\.\d+)?$/;

/** Truncates between characters, not inside surrogate pairs. */
const truncateTrait = (text: string): string => (text.length <= maxTraitLength ? text : [...text].slice(0, maxTraitLength).join(""));
