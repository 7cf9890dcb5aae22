import { createHash } from "node:crypto";
import type { Coding } from "../compression/accept-encoding.ts";
import type { Compression, EncodedBody } from "../compression/compression.ts";
import type { Header } from "../constant-headers.ts";

/** A serialized response with the headers that depend on its data. */
export interface SerializedResponse {
  readonly contentType: string;
  readonly body: Buffer;
  readonly headers: readonly Header[];
}

/** A serialized response that may be sent to several requests. */
export interface RenderedResponse extends SerializedResponse {
  /** A cached response's entity tag. It is weak, because all codings of the body share it (RFC 9110, section 8.8.3.3). */
  readonly tag: string | null;
  /** The body in a coding, compressed once; uncompressed if too many bodies are being compressed. */
  encode(coding: Coding): Promise<EncodedBody>;
  /** The size of the body and its compressed forms. */
  bytes(): number;
}

/** A response's entity tag: a hash, so that servers and restarts agree on it. */
function tagOf({ contentType, headers, body }: SerializedResponse): string {
  const hash = createHash("sha256").update(contentType).update(JSON.stringify(headers)).update(body);
  return `W/"${hash.digest("base64url").slice(0, 27)}"`;
}

/** Creates a rendered response; `onResize` is called when a compressed form of a cached one is added. */
export function createRenderedResponse(
  serialized: SerializedResponse,
  isCached: boolean,
  compression: Pick<Compression, "encode">,
  onResize: () => void,
): RenderedResponse {
  const forms = new Map<Coding, Promise<EncodedBody>>();
  let bytes = serialized.body.length;
  const compress = async (coding: Coding): Promise<EncodedBody> => {
    try {
      const encoded = await compression.encode(serialized.body, coding);
      if (encoded.coding === null) forms.delete(coding);
      else {
        bytes += encoded.body.length;
        onResize();
      }
      return encoded;
    } catch (error) {
      forms.delete(coding);
      throw error;
    }
  };
  return {
    ...serialized,
    tag: isCached ? tagOf(serialized) : null,
    encode(coding) {
      const form = forms.get(coding) ?? compress(coding);
      forms.set(coding, form);
      return form;
    },
    bytes: () => bytes,
  };
}

/** The opaque part of a tag: the comparison for If-None-Match ignores weakness (RFC 9110, section 13.1.2). */
const opaque = (tag: string): string => tag.trim().replace(/^W\//, "");

/** Whether a client that sends this If-None-Match header already has the response with a tag. */
export const matchesEntityTag = (ifNoneMatch: string | undefined, tag: string | null): boolean =>
  tag !== null &&
  ifNoneMatch !== undefined &&
  (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((sent) => opaque(sent) === opaque(tag)));
