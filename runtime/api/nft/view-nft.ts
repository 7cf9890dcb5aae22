import { extension, lookup } from "mime-types";
import type { NftCollectionAttribute, NftData, NftExternalData, NftExternalDataV1 } from "../../../generated/responses.gen.ts";
import type { NftMetadataRow } from "../../domains/nft-metadata/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";

/** Attributes with their fields in order, which PostgreSQL's jsonb does not preserve. */
const withOrderedFields = (attributes: NftMetadataRow["attributes"]): NftCollectionAttribute[] | null =>
  attributes === null ? null : attributes.map(({ trait_type, value }) => ({ trait_type, value }));

/** A token's data in addition to its id. */
export interface NftDetails {
  readonly originalOwner: Address | null;
  readonly currentOwner: Address | null;
  /** Undefined if it has not been read. */
  readonly metadata: NftMetadataRow | undefined;
}

/** A token's response object; `noMetadata` omits the metadata's contents. */
export const viewNft = (tokenId: string, { originalOwner, currentOwner, metadata }: NftDetails, noMetadata: boolean): NftData => ({
  token_id: tokenId,
  token_url: metadata?.token_url ?? null,
  original_owner: originalOwner,
  current_owner: currentOwner,
  external_data: metadata?.has_document && !noMetadata ? externalData(metadata) : null,
  asset_cached: metadata?.has_document ?? false,
  image_cached: false,
  metadata_refusal: metadata?.refusal ?? null,
});

/** Metadata in the older format that balances use; null without a document. */
export const viewExternalDataV1 = (metadata: NftMetadataRow | undefined): NftExternalDataV1 | null =>
  metadata?.has_document
    ? {
        name: metadata.name,
        description: metadata.description,
        image: metadata.image,
        image_256: null,
        image_512: null,
        image_1024: null,
        animation_url: metadata.animation_url,
        external_url: metadata.external_url,
        attributes: withOrderedFields(metadata.attributes),
        owner: metadata.owner,
      }
    : null;

/** The asset is the animation, else the image. Fields are assigned one by one, which is faster: a wallet may have tens of thousands of tokens. */
function externalData(metadata: NftMetadataRow): NftExternalData {
  const asset = metadata.animation_url ?? metadata.image;
  const file = asset === null ? unknownFile : fileTypeOf(asset);
  return {
    name: metadata.name,
    description: metadata.description,
    asset_url: asset,
    asset_file_extension: file.extension,
    asset_mime_type: file.mimeType,
    asset_size_bytes: metadata.asset_bytes === null ? null : String(metadata.asset_bytes),
    image: metadata.image,
    image_256: null,
    image_512: null,
    image_1024: null,
    animation_url: metadata.animation_url,
    external_url: metadata.external_url,
    attributes: withOrderedFields(metadata.attributes),
  };
}

/** The type of a file, derived from its URL. */
export interface FileType {
  readonly extension: string | null;
  readonly mimeType: string | null;
}

const unknownFile: FileType = { extension: null, mimeType: null };

/** The media type of a `data:` URL (RFC 2397); text/plain if it has none. */
const dataUrlPattern = /^data:([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+)?[;,]/i;
/** The file extension in a URL's path, which starts after the host: a host name's ending is not an extension. */
const pathExtensionPattern = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+\/(?:[^?#]*\/)?[^/?#]*\.([a-z0-9]{1,10})(?:[?#]|$)/i;

/** The type of the file at a URL: by an embedded file's media type, else by a known extension. */
export function fileTypeOf(url: string): FileType {
  const data = dataUrlPattern.exec(url);
  if (data !== null) {
    const mimeType = (data[1] ?? "text/plain").toLowerCase();
    return { extension: extension(mimeType) || null, mimeType };
  }
  const found = pathExtensionPattern.exec(url)?.[1]?.toLowerCase();
  const mimeType = found === undefined ? false : lookup(found);
  return found === undefined || mimeType === false ? unknownFile : { extension: found, mimeType };
}
