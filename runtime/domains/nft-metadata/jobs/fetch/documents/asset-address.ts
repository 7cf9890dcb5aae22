import { decodeData, parseDataUrl } from "./data-url.ts";
import { isRaster, isRecording, isSvg } from "./media-types.ts";
import { svgFault } from "./passive-svg.ts";

/** An address that may be shown, or why it may not, as the end of a sentence that begins with what it is of. */
export type AssetAddress = { readonly url: string; readonly bytes: number | null } | { readonly fault: string };

/** Longer addresses that are no documents themselves are not kept. */
const longestAddress = 2048;
const bareContentId = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,110})(?=$|\/)/;
const safe = /^[\x21-\x7e]+$/;
const unsafe = /["<>\\^`{|}]/;

/** An address of metadata: https:, http:, ipfs:, ar:, a data: picture, or markup of one; recordings where they fit. */
export const assetAddress = (text: string, allowed: "picture" | "picture or recording" | "page"): AssetAddress => {
  const address = text.trim();
  if (allowed !== "page" && /^<(?:svg|\?xml)[\s>]/i.test(address)) return pictureOf(Buffer.from(address));
  if (/^data:/i.test(address))
    return allowed === "page" ? { fault: "is of the scheme data:; http and https are accepted" } : dataAddress(address, allowed);
  if (address.length > longestAddress) return { fault: `is longer than ${longestAddress} characters` };
  const named = bareContentId.test(address) ? `ipfs://${address}` : address;
  const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(named)?.[1]?.toLowerCase();
  if (scheme === undefined) return { fault: "is no URL" };
  if (!["https", "http", "ipfs", "ar"].includes(scheme)) return { fault: `is of the scheme ${scheme}:, which is not shown` };
  const isWeb = scheme.startsWith("http");
  if (isWeb && !URL.canParse(named)) return { fault: "is no URL" };
  if (safe.test(named) && !unsafe.test(named)) return { url: named, bytes: null };
  // What no URL may hold is escaped, so that it stays one wherever it is pasted.
  const escaped = isWeb ? new URL(named).href : encodeURI(named.toWellFormed()).replaceAll("%25", "%");
  return { url: escaped, bytes: null };
};

const dataAddress = (address: string, allowed: "picture" | "picture or recording"): AssetAddress => {
  const url = parseDataUrl(address);
  if (url === null) return { fault: "is no data: URL" };
  const isKnown = isSvg(url.type) || isRaster(url.type) || (allowed === "picture or recording" && isRecording(url.type));
  if (!isKnown)
    return {
      fault: `is data of the type ${url.type.slice(0, 60) || "text/plain"}; ${allowed === "picture" ? "pictures" : "pictures, video and sound"} are accepted`,
    };
  const bytes = decodeData(url);
  if (bytes === null) return { fault: "is not the base64 that it says" };
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

/** Written anew, so that whoever reads it finds what was checked, whatever they make of an odd spelling. */
const dataUrlOf = (type: string, bytes: Buffer): string => `data:${type};base64,${bytes.toString("base64")}`;
