import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { documentOf, readInline } from "./fake-web.ts";
import type { MetadataIndex, MetadataNode } from "./metadata-index.ts";

/** A document that has only a name. */
export const documentNamed = (name: string): DocumentOutcome => ({ ok: true, document: documentOf(JSON.stringify({ name })) });
/** Reads documents in data: URLs. */
export const readAsync = async (url: string): Promise<DocumentOutcome> => readInline(url);

/** Consecutive ids. */
const ids = (count: number, first = 0): number[] => Array.from({ length: count }, (_, id) => first + id);
/** Sets the URL of ids, then mints and queues them. Returns the head. */
export const mintAndQueue = async (
  { node, index, collection }: { readonly node: MetadataNode; readonly index: MetadataIndex; readonly collection: Address },
  url: string,
  count: number,
  standard: number = standards.erc721,
  first = 0,
): Promise<number> => {
  await node.setUri(collection, first, first + count - 1, url);
  const head = await index.indexBlocks();
  await index.mint(collection, ids(count, first), head, standard);
  await index.queue();
  return head;
};
