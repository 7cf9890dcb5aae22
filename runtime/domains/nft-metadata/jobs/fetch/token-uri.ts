import type { CallOutcome } from "../../../../chain/source.ts";
import type { Address, Hex } from "../../../../lib/hex.ts";
import type { NftKey } from "../../../nft/queries/tokens.ts";
import { standards } from "../../../tokens/projection/standards.ts";
import type { NftDocument } from "./documents/document.ts";

/** tokenURI(uint256) of EIP-721's metadata extension, and uri(uint256) of EIP-1155's. */
const tokenUriSelector = "c87b56dd";
const uriSelector = "0e89341c";

/** Bytes of an answer that are looked at. A whole picture may stand in one; what is longer is no address, and refused later as too large where it is a document. */
const longestAnswer = 16 * 1024 * 1024;
const wordBytes = 32;

/** The call that asks a contract where a token's metadata is. */
export const uriCall = ({ token, token_id, standard }: NftKey): { readonly to: Address; readonly data: Hex } => ({
  to: token,
  data: `0x${standard === standards.erc1155 ? uriSelector : tokenUriSelector}${idWord(token_id)}`,
});

/** What a contract answered: the address of the metadata with the token's id put in, or null where it gives none that can be used. */
export const decodeUri = (outcome: CallOutcome | undefined, { token_id, standard }: NftKey): string | null => {
  if (outcome === undefined || !outcome.ok) return null;
  const body = Buffer.from(outcome.data.slice(2, 2 + 2 * longestAnswer), "hex");
  const bytes = stringOf(body);
  if (bytes === null) return null;
  // A database takes no zero characters, and no address has one.
  const text = bytes.toString("utf8").replaceAll("\0", "").trim();
  if (text === "") return null;
  return standard === standards.erc1155 ? withId(text, token_id) : text;
};

/** Where a token's document is, or why it is nowhere; null where the node did not respond. */
export type DocumentLocation = { readonly url: string } | { readonly refusal: string } | null;

/** The location that a contract's response to `uriCall` describes. A response that cannot hold a document of `maxBytes` and is no other URL either is refused undecoded. */
export const locateDocument = (outcome: CallOutcome | undefined, key: NftKey, maxBytes = Number.POSITIVE_INFINITY): DocumentLocation => {
  if (outcome === undefined || !(outcome.ok || outcome.reverted)) return null;
  // Two digits a byte, and an escaped byte of a document is three characters.
  if (outcome.ok && outcome.data.length > 2 * (3 * maxBytes + 1_000))
    return { refusal: `The contract's response is too large: documents of up to ${maxBytes} bytes are accepted.` };
  const url = decodeUri(outcome, key);
  return url === null ? { refusal: "The contract returns no metadata URL." } : { url };
};

/** EIP-1155, "Metadata": {id} stands for the id as 64 lower-case hex digits, without 0x. */
const withId = (url: string, tokenId: string): string => url.replaceAll("{id}", idWord(tokenId));

/** A document of an EIP-1155 token with its id put in where its words and addresses say {id}, which addresses may have escaped by now. */
export const withIdInside = (document: NftDocument, { token_id, standard }: NftKey): NftDocument => {
  if (standard !== standards.erc1155) return document;
  const put = (text: string | null): string | null => text?.replace(/\{id\}|%7Bid%7D/g, idWord(token_id)) ?? null;
  const { name, description, image, animationUrl, externalUrl } = document;
  return {
    ...document,
    name: put(name),
    description: put(description),
    image: put(image),
    animationUrl: put(animationUrl),
    externalUrl: put(externalUrl),
  };
};

const idWord = (tokenId: string): string => BigInt(tokenId).toString(16).padStart(64, "0");

/** The string that an answer is (ABI: offset, length, bytes); null where the contract claims more than came. */
const stringOf = (body: Buffer): Buffer | null => {
  const offset = smallNumber(body, 0);
  if (offset === null || offset + wordBytes > body.length) return null;
  const length = smallNumber(body, offset);
  const start = offset + wordBytes;
  if (length === null || start + length > body.length) return null;
  return body.subarray(start, start + length);
};

const smallNumber = (body: Buffer, at: number): number | null => {
  if (at + wordBytes > body.length) return null;
  for (let byte = at; byte < at + 28; byte += 1) if (body[byte] !== 0) return null;
  return body.readUInt32BE(at + 28);
};
