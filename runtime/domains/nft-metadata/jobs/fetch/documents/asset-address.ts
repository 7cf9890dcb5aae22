import { decodeData, parseDataUrl } from "./data-url.ts";
import { isRaster, isRecording, isSvg } from "./media-types.ts";
import { svgFault } from "./passive-svg.ts";

/** A URL that clients may show, or why they must not show it, as the rest of a sentence whose subject is the URL. */
export type AssetAddress = { readonly url: string; readonly bytes: number | null } | { readonly fault: string };

/** Max characters of a URL, unless it embeds its file. */
const maxUrlLength = 2048;
const bareContentId = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,110})(?=$|\/)/;
const safe = /^[\x21-\x7e]+$/;
const unsafe = /["<>\\^`{|}]/;

/** Checks a URL of a document: https:, http:, ipfs:, ar:, an embedded picture (`data:` or SVG markup), and recordings if allowed. */
export const assetAddress = (text: string, allowed: "picture" | "picture or recording" | "page"): AssetAddress => {
  const address = text.trim();
  if (allowed !== "page" && /^<(?:svg|\?xml)[\s>]/i.test(address)) return pictureOf(Buffer.from(address));
  if (/^data:/i.test(address))
    return allowed === "page" ? { fault: "has the scheme data:; expected http: or https:" } : dataAddress(address, allowed);
  if (address.length > maxUrlLength) return { fault: `has more than ${maxUrlLength} characters` };
  const named = bareContentId.test(address) ? `ipfs://${address}` : address;
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(named)?.[1]?.toLowerCase();
  if (scheme === undefined) return { fault: "is not a URL" };
  if (!["https", "http", "ipfs", "ar"].includes(scheme)) return { fault: `has the unsupported scheme ${scheme}:` };
  const isWeb = scheme.startsWith("http");
  if (isWeb && !URL.canParse(named)) return { fault: "is not a URL" };
  if (safe.test(named) && !unsafe.test(named)) return { url: named, bytes: null };
  // Characters that no URL contains are escaped, so that it stays one URL wherever it is pasted.
  const escaped = isWeb ? new URL(named).href : encodeURI(named.toWellFormed()).replaceAll("%25", "%");
  return { url: escaped, bytes: null };
};

const dataAddress = (address: string, allowed: "picture" | "picture or recording"): AssetAddress => {
  const url = parseDataUrl(address);
  if (url === null) return { fault: "is not a valid data: URL" };
  const isKnown = isSvg(url.type) || isRaster(url.type) || (allowed === "picture or recording" && isRecording(url.type));
  if (!isKnown)
    return {
      fault: `has the media type ${url.type.slice(0, 60) || "text/plain"}; expected ${allowed === "picture" ? "an image" : "an image, video or audio"}`,
    };
  const bytes = decodeData(url);
  if (bytes === null) return { fault: "is not valid base64" };
  return isSvg(url.type) ? pictureOf(bytes) : { url: dataUrlOf(url.type, bytes), bytes: bytes.length };
};

const pictureOf = (bytes: Buffer): AssetAddress => {
  const fault = svgFault(
    bytes
      .toString("utf8")
      .replace(/^\ufeff/, "")
      .trim(),
  );
  return fault === null ? { url: dataUrlOf("image/svg+xml", bytes), bytes: bytes.length } : { fault: `${fault}` };
};

/** Encodes the data again, so that clients decode the bytes that were checked even if they parse unusual encodings differently. */
const dataUrlOf = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;
