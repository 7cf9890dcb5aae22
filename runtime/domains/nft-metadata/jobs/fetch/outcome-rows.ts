import type { CopyValue } from "../../../../database/copy.ts";
import type { UpsertTarget } from "../../../../database/upsert.ts";
import type { Claim } from "./claims.ts";
import type { NftDocument } from "./documents/document.ts";

/** What reading a claimed token's metadata came to. */
export interface Outcome {
  readonly claim: Claim;
  /** The block that the contract was asked at. */
  readonly readAt: number;
  readonly tokenUrl: string | null;
  readonly result: { readonly document: NftDocument } | { readonly refusal: string };
}

/** Characters of a trait and of a value that are counted and filtered by: an entry of an index can hold them, whatever they are. */
const longestTrait = 256;
/** Digits of a number that is one: a longer one is text. */
const longestNumber = 100;
/** Of what a document lists, so many traits are counted: their positions are int2. */
const maxTraits = 1_000;
/** A longer address is not kept: it is a document that the contract itself holds. */
const longestUrl = 4 * 1024 * 1024;

/** Where rows of tokens that were read go. */
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

/** A row a token, of what its metadata says or why there is none. */
export function* rowsOf(chainId: number, now: Date, outcomes: readonly Outcome[]): Generator<CopyValue[]> {
  for (const { claim, readAt, tokenUrl, result } of outcomes) {
    const document = "document" in result ? result.document : null;
    const refusal = "document" in result ? result.document.refusal : result.refusal;
    yield [
      chainId,
      claim.token,
      claim.token_id,
      claim.standard,
      claim.block_number,
      readAt,
      now,
      tokenUrl === null || tokenUrl.length > longestUrl ? null : storable(tokenUrl),
      storable(refusal),
      storable(document?.document),
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

/** NUL is no character of PostgreSQL's text, and half a surrogate pair is none of UTF-8; a document may say both in its escapes. */
const storable = (text: string | null | undefined): string | null =>
  text === null || text === undefined ? null : text.replaceAll("\0", "").replace(loneSurrogates, "\ufffd");

const loneSurrogates = /\p{Surrogate}/gu;

const attributesJson = (document: NftDocument | null): string | null => {
  if (document === null || document.attributes === null) return null;
  return JSON.stringify(document.attributes.map((own) => ({ trait_type: storable(own.trait_type), value: storable(own.value) })));
};

export const attributeColumns = ["chain_id", "token", "token_id", "position", "read_at_block", "trait", "value", "number"] as const;
export const attributeTypes = ["int8", "bytea", "numeric", "int2", "int8", "text", "text", "numeric"] as const;

/** Each trait with each value once a token, so that tokens are counted. */
export function* attributesOf(chainId: number, outcomes: readonly Outcome[]): Generator<CopyValue[]> {
  for (const { claim, readAt, result } of outcomes) {
    if (!("document" in result)) continue;
    const seen = new Set<string>();
    for (const { trait, value, number } of result.document.counted) {
      const name = cutTrait(storable(trait) ?? "");
      const own = value === null ? null : cutTrait(storable(value) ?? "");
      const key = JSON.stringify([name, own]);
      if (seen.has(key) || seen.size === maxTraits) continue;
      seen.add(key);
      const isNumber = own !== null && number !== null && number.length <= longestNumber && decimal.test(number);
      yield [chainId, claim.token, claim.token_id, seen.size - 1, readAt, name, own, isNumber ? number : null];
    }
  }
}

const decimal = /^-?\d+(?:\.\d+)?$/;

/** A trait or a value as it is counted and filtered by: whole characters. */
const cutTrait = (text: string): string => (text.length <= longestTrait ? text : [...text].slice(0, longestTrait).join(""));
