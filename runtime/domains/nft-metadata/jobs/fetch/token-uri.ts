import type { CallOutcome } from "../../../../chain/source.ts";
import type { Address, Hex } from "../../../../lib/hex.ts";
import type { NftKey } from "../../../nft/queries/tokens.ts";
import { standards } from "../../../tokens/projection/standards.ts";
import type { NftDocument } from "./documents/document.ts";

/** tokenURI(uint256) of EIP-721's metadata extension, and uri(uint256) of EIP-1155's. */
const tokenUriSelector = "c87b56dd";
const uriSelector = "0e89341c";

/** Max decoded bytes of a response, which may embed an image. A longer response that embeds a document is refused later as too large. */
const maxResponseBytes = 16 * 1024 * 1024;
const wordBytes = 32;

/** The contract call that returns a token's metadata URL. */
export const uriCall = ({ token, token_id, standard }: NftKey): { readonly to: Address; readonly data: Hex } => ({
  to: token,
  data: `0x${standard === standards.erc1155 ? uriSelector : tokenUriSelector}${idWord(token_id)}`,
});

/** The URL in a contract's response, with the token's id filled in; null if the response has no usable URL. */
export const decodeUri = (outcome: CallOutcome | undefined, { token_id, standard }: NftKey): string | null => {
  if (outcome === undefined || !outcome.ok) return null;
  const body = Buffer.from(outcome.data.slice(2, 2 + 2 * maxResponseBytes), "hex");
  const bytes = stringOf(body);
  if (bytes === null) return null;
  // PostgreSQL's text cannot contain NUL, and no valid URL contains it.
  const text = bytes.toString("utf8").replaceAll("\0", "").trim();
  if (text === "") return null;
  return standard === standards.erc1155 ? withId(text, token_id) : text;
};

/** The URL of a token's document, or why there is none; null if the node did not respond. */
export type DocumentLocation = { readonly url: string } | { readonly refusal: string } | null;

/** Locates a token's document by the contract's response to `uriCall`. A response too long for a document of `maxBytes` is refused without decoding. */
export const locateDocument = (outcome: CallOutcome | undefined, key: NftKey, maxBytes = Number.POSITIVE_INFINITY): DocumentLocation => {
  if (outcome === undefined || !(outcome.ok || outcome.reverted)) return null;
  // Two hex digits per byte; percent-encoding triples the bytes of a document.
  if (outcome.ok && outcome.data.length > 2 * (3 * maxBytes + 1_000))
    return { refusal: `The contract's response is too large: documents of up to ${maxBytes} bytes are accepted.` };
  const url = decodeUri(outcome, key);
  return url === null ? { refusal: "The contract returns no metadata URL." } : { url };
};

/** EIP-1155, "Metadata": clients replace {id} with the id as 64 lowercase hex digits without 0x. */
const withId = (url: string, tokenId: string): string => url.replaceAll("{id}", idWord(tokenId));

/** Replaces {id} in the document of an EIP-1155 token, even if a URL contains it percent-encoded. */
export const substituteTokenId = (document: NftDocument, { token_id, standard }: NftKey): NftDocument => {
  if (standard !== standards.erc1155) return document;
  const fillIn = (text: string | null): string | null => text?.replace(/\{id\}|%7Bid%7D/g, idWord(token_id)) ?? null;
  const { name, description, image, animationUrl, externalUrl } = document;
  return {
    ...document,
    name: fillIn(name),
    description: fillIn(description),
    image: fillIn(image),
    animationUrl: fillIn(animationUrl),
    externalUrl: fillIn(externalUrl),
  };
};

const idWord = (tokenId: string): string => BigInt(tokenId).toString(16).padStart(64, "0");

/** The string in a response (ABI: offset, length, bytes); null if its bounds exceed the response. */
const stringOf = (body: Buffer): Buffer | null => {
  const offset = readSmallNumber(body, 0);
  if (offset === null || offset + wordBytes > body.length) return null;
  const length = readSmallNumber(body, offset);
  const start = offset + wordBytes;
  if (length === null || start + length > body.length) return null;
  return body.subarray(start, start + length);
};

const readSmallNumber = (body: Buffer, at: number): number | null => {
  if (at + wordBytes > body.length) return null;
  for (let byte = at; byte < at + 28; byte += 1) if (body[byte] !== 0) return null;
  return body.readUInt32BE(at + 28);
};
