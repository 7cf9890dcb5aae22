import { describe, expect, it } from "vitest";
import { knownMetadata } from "../../../../runtime/api/nft/known-metadata.ts";
import { fileTypeOf, viewNft } from "../../../../runtime/api/nft/view-nft.ts";
import type { NftKey } from "../../../../runtime/domains/nft/queries/tokens.ts";
import type { NftMetadataRow } from "../../../../runtime/domains/nft-metadata/queries/metadata.ts";
import { metadataKeyText } from "../../../../runtime/domains/nft-metadata/queries/metadata.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";

const token: Address = `0x${"e".repeat(40)}`;
const chain = { id: 7, name: "fixture" } as never;
const key = (id: number): NftKey => ({ token, token_id: String(id), standard: 2 });
const row = (id: number, name: string): NftMetadataRow => ({
  token,
  token_id: String(id),
  token_url: null,
  refusal: null,
  has_document: true,
  name,
  description: null,
  image: null,
  animation_url: null,
  external_url: null,
  owner: null,
  attributes: null,
  asset_bytes: null,
});

describe("requested metadata on a chain that does not store it", () => {
  const requestedKeys: NftKey[][] = [];
  let volatileCount = 0;
  const context = {
    markVolatile: () => {
      volatileCount += 1;
    },
    nftMetadata: { metadataOf: async () => new Map([[metadataKeyText(key(1)), row(1, "kept")]]) } as never,
    uncachedMetadata: {
      read: async (_chainId: number, keys: readonly NftKey[]) => {
        requestedKeys.push([...keys]);
        return [row(2, "read now")];
      },
    },
  };

  it("is read only for tokens without stored metadata", async () => {
    const known = await knownMetadata(context, chain, [key(1), key(2), key(3)], true);
    expect([key(1), key(2), key(3)].map((nftKey) => known(nftKey)?.name)).toEqual(["kept", "read now", undefined]);
    expect(requestedKeys).toEqual([[key(2), key(3)]]);
    await knownMetadata(context, chain, [key(1)], true);
    await knownMetadata(context, chain, [key(2)], false);
    expect(requestedKeys.length).toBe(1);
    // A response with newly read metadata is not cached.
    expect(volatileCount).toBe(1);
  });
});

describe("the type of a file", () => {
  it.each([
    ["data:image/svg+xml;base64,AA==", "svg", "image/svg+xml"],
    ["data:image/svg+xml,<svg/>", "svg", "image/svg+xml"],
    ["DATA:Image/PNG;base64,AA==", "png", "image/png"],
    // RFC 2397: text/plain by default.
    ["data:,hello.png", "txt", "text/plain"],
    ["data:;base64,AA==", "txt", "text/plain"],
    ["data:application/x-nothing-known;base64,AA==", null, "application/x-nothing-known"],
    ["ipfs://bafy/42.png", "png", "image/png"],
    ["ipfs://bafy/folder/42.JPEG", "jpeg", "image/jpeg"],
    ["https://example.com/a.gif?x=y.mp4#z.png", "gif", "image/gif"],
    ["https://example.com/film.mp4", "mp4", "video/mp4"],
    // The extension is taken from the path, not from the host name or the query.
    ["https://example.com", null, null],
    ["https://example.com/", null, null],
    ["https://example.com/?file=a.png", null, null],
    ["ipfs://bafy", null, null],
    ["ar://x_y", null, null],
    ["https://example.com/42", null, null],
    ["https://example.com/a.b/42", null, null],
    ["https://example.com/42.unheardof", null, null],
    ["not an address.png", null, null],
    ["", null, null],
  ])("is derived from the URL %s", (url, extension, mimeType) => {
    expect(fileTypeOf(url)).toEqual({ extension, mimeType });
  });

  it("is derived in linear time from any URL", () => {
    const start = performance.now();
    for (const url of [`https://x/${"a.".repeat(500_000)}`, `https://${"/".repeat(1_000_000)}`, `data:${"a/".repeat(500_000)}`])
      fileTypeOf(url);
    expect(performance.now() - start).toBeLessThan(scaleTimeLimit(1000));
  });
});

describe("a token without metadata", () => {
  it("has null fields and no cached asset", () => {
    expect(viewNft("1", { originalOwner: null, currentOwner: null, metadata: undefined }, false)).toEqual({
      token_id: "1",
      token_url: null,
      original_owner: null,
      current_owner: null,
      external_data: null,
      asset_cached: false,
      image_cached: false,
      metadata_refusal: null,
    });
  });
});
