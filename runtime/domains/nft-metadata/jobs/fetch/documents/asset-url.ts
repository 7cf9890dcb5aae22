import { decodeData, parseDataUrl } from "./data-url.ts";
import { isAudioOrVideo, isRaster, isSvg } from "./media-types.ts";
import { svgProblem } from "./passive-svg.ts";

/** A URL that clients may show, or why they must not show it, as a predicate of the URL ("is not a URL"). */
export type AssetUrl = { readonly url: string; readonly bytes: number | null } | { readonly problem: string };

/** Max characters of a URL, unless it embeds its file. */
const maxUrlLength = 2048;
const bareContentId = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,110})(?=$|\/)/;
const printableAscii = /^[\x21-\x7e]+$/;
const unsafeCharacter = /["<>\\^`{|}]/;

/** Checks a URL in a document: https:, http:, ipfs:, ar:, an embedded image (`data:` or SVG markup), and recordings if they are allowed. */
export const checkAssetUrl = (text: string, allowed: "image" | "image or recording" | "page"): AssetUrl => {
  const url = text.trim();
  if (allowed !== "page" && /^<(?:svg|\?xml)[\s>]/i.test(url)) return imageOf(Buffer.from(url));
  if (/^data:/i.test(url))
    return allowed === "page" ? { problem: "has the scheme data:; expected http: or https:" } : checkDataUrl(url, allowed);
  if (url.length > maxUrlLength) return { problem: `has more than ${maxUrlLength} characters` };
  const withScheme = bareContentId.test(url) ? `ipfs://${url}` : url;
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(withScheme)?.[1]?.toLowerCase();
  if (scheme === undefined) return { problem: "is not a URL" };
  if (!["https", "http", "ipfs", "ar"].includes(scheme)) return { problem: `has the unsupported scheme ${scheme}:` };
  const isWeb = scheme.startsWith("http");
  if (isWeb && !URL.canParse(withScheme)) return { problem: "is not a URL" };
  if (printableAscii.test(withScheme) && !unsafeCharacter.test(withScheme)) return { url: withScheme, bytes: null };
  // Characters invalid in URLs are escaped, so that the text remains one URL wherever it is pasted.
  const escaped = isWeb ? new URL(withScheme).href : encodeURI(withScheme.toWellFormed()).replaceAll("%25", "%");
  return { url: escaped, bytes: null };
};

const checkDataUrl = (url: string, allowed: "image" | "image or recording"): AssetUrl => {
  const parsed = parseDataUrl(url);
  if (parsed === null) return { problem: "is not a valid data: URL" };
  const isKnown = isSvg(parsed.type) || isRaster(parsed.type) || (allowed === "image or recording" && isAudioOrVideo(parsed.type));
  if (!isKnown)
    return {
      problem: `has the media type ${parsed.type.slice(0, 60) || "text/plain"}; expected ${allowed === "image" ? "an image" : "an image, video or audio"}`,
    };
  const bytes = decodeData(parsed);
  if (bytes === null) return { problem: "is not valid base64" };
  return isSvg(parsed.type) ? imageOf(bytes) : { url: dataUrlOf(parsed.type, bytes), bytes: bytes.length };
};

const imageOf = (bytes: Buffer): AssetUrl => {
  const problem = svgProblem(
    bytes
      .toString("utf8")
      .replace(/^\ufeff/, "")
      .trim(),
  );
  return problem === null ? { url: dataUrlOf("image/svg+xml", bytes), bytes: bytes.length } : { problem };
};

/** Encodes the data again, so that clients decode the checked bytes even if they parse unusual encodings differently. */
const dataUrlOf = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;
