import type { NftsConfig } from "../../../../../config/nfts.ts";
import type { Refusal } from "../../../../../web/refusals.ts";
import { createWebClient, type FetchLimits, type WebClient } from "../../../../../web/web.ts";
import { type DataUrl, decodeData, parseDataUrl } from "./data-url.ts";
import type { DocumentOutcome, ReadDocument } from "./document.ts";
import { arweavePath, type GatewayPath, ipfsPath } from "./gateway-path.ts";
import { isJson } from "./media-types.ts";
import { decodeUtf8, imageDocument, parseDocument } from "./parse-document.ts";

type ReaderConfig = Pick<NftsConfig, "ipfsGateways" | "arweaveGateways" | "documentBytes" | "fetchMilliseconds">;

/** Max characters of a URL, unless it embeds a document. */
const maxUrlLength = 8192;
const bareContentId = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,110})(?:$|\/)/;
const types = { header: "application/json, text/plain;q=0.5", description: "JSON", includes: isJson };

/** Creates a reader for data:, https:, ipfs: and ar: URLs, within the bounds set in a chain's configuration. */
export const createDocumentReader = (
  config: ReaderConfig,
  { web = createWebClient() }: { readonly web?: WebClient } = {},
): ReadDocument => {
  const boundsOf = (signal: AbortSignal, milliseconds: number): FetchLimits => ({
    timeoutMilliseconds: milliseconds,
    maxBytes: config.documentBytes,
    acceptedTypes: types,
    signal,
  });

  const fromWeb = async (url: string, signal: AbortSignal): Promise<DocumentOutcome> => {
    const fetched = await web.fetch(url, boundsOf(signal, config.fetchMilliseconds));
    return fetched.ok ? documentOf(fetched.body) : refused(fetched.refusal.message, fetched.refusal.isPermanent);
  };

  /** Tries the gateways one after another, each with an equal share of the remaining time. */
  const fromGateways = async (gateways: readonly string[], location: GatewayPath, signal: AbortSignal): Promise<DocumentOutcome> => {
    if ("problem" in location) return refused(location.problem);
    if (gateways.length === 0) return refused("No gateway is configured for this scheme.", false);
    const end = Date.now() + config.fetchMilliseconds;
    const refusals: Refusal[] = [];
    for (const [position, gateway] of gateways.entries()) {
      const share = Math.floor((end - Date.now()) / (gateways.length - position));
      if (share <= 0 || signal.aborted) break;
      const fetched = await web.fetchFrom(gateway, location.path, boundsOf(signal, share));
      if (fetched.ok) return documentOf(fetched.body);
      refusals.push(fetched.refusal);
      // A content address identifies its bytes: they are too large on every gateway.
      if (fetched.refusal.code === "too-large") return refused(fetched.refusal.message);
    }
    return combineRefusals(refusals, gateways.length);
  };

  const read: ReadDocument = async (url, signal) => {
    const address = bareContentId.test(url) ? `ipfs://${url}` : url.trim();
    const scheme = /^([a-z][a-z0-9+.-]{0,30}):/i.exec(address)?.[1]?.toLowerCase();
    if (scheme === "data") return fromData(address, config.documentBytes);
    if (address.length > maxUrlLength) return refused(`The metadata URL has more than ${maxUrlLength} characters.`);
    if (scheme === "https") return fromWeb(address, signal);
    if (scheme === "ipfs") return fromGateways(config.ipfsGateways, ipfsPath(address), signal);
    if (scheme === "ar") return fromGateways(config.arweaveGateways, arweavePath(address), signal);
    const problem = scheme === undefined ? "is not a URL" : `has the unsupported scheme ${scheme}:`;
    return refused(`The metadata URL ${problem}; expected data:, https:, ipfs: or ar:.`);
  };

  // An unexpected exception affects only this attempt to read this document.
  return (url, signal) => read(url, signal).catch(() => refused("The metadata cannot be read.", false));
};

/** The outcome of requests to gateways that all failed. The failure is permanent only if it is permanent at every gateway. */
const combineRefusals = (refusals: readonly Refusal[], gatewayCount: number): DocumentOutcome => {
  if (refusals.length === 0) return refused("No gateway was requested before the time limit.", false);
  const isPermanent = refusals.length === gatewayCount && refusals.every((refusal) => refusal.isPermanent);
  return refused(refusals.map(({ message }) => message).join(" "), isPermanent);
};

/** Reads an embedded document. */
const fromData = (address: string, maxBytes: number): DocumentOutcome => {
  // Percent-encoding triples a byte.
  if (address.length > 3 * maxBytes + 300) return tooLarge(maxBytes);
  const url = parseDataUrl(address);
  if (url === null) return refused("The data: URL has no comma before its data.");
  if (!isJson(url.type) && !url.type.startsWith("image/")) {
    return refused(`The data: URL has the media type ${url.type.slice(0, 60)}; expected JSON or an image.`);
  }
  const complete = fromDataUrl(address, url, maxBytes);
  const fragment = url.data.indexOf("#");
  // A # starts a fragment (RFC 3986, section 3.5), in which some contracts append the id; in unencoded text it may be part of the document.
  if (complete.ok || fragment < 0) return complete;
  const withoutFragment = fromDataUrl(address, { ...url, data: url.data.slice(0, fragment) }, maxBytes);
  return withoutFragment.ok ? withoutFragment : complete;
};

const fromDataUrl = (address: string, url: DataUrl, maxBytes: number): DocumentOutcome => {
  const bytes = decodeData(url);
  if (bytes === null) return refused("The data: URL is not valid base64.");
  if (bytes.length > maxBytes) return tooLarge(maxBytes);
  if (url.type.startsWith("image/")) return imageDocument(address);
  // RFC 1952, section 2.3.1.
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return refused("The data: URL is compressed with gzip; expected plain JSON.");
  // Text with bare quotes is not percent-encoded: an escape in it is part of a URL that it contains.
  const unescaped = !url.isBase64 && url.data.includes('"') ? parse(url.data) : null;
  return unescaped?.ok === true ? unescaped : documentOf(bytes);
};

const tooLarge = (maxBytes: number): DocumentOutcome =>
  refused(`The metadata is too large: documents of up to ${maxBytes} bytes are accepted.`);

const documentOf = (bytes: Buffer): DocumentOutcome => parse(decodeUtf8(bytes));

/** Like `parseDocument`, but refuses a text for which it throws. */
const parse = (text: string): DocumentOutcome => {
  try {
    return parseDocument(text);
  } catch {
    return refused("The metadata cannot be parsed.");
  }
};

const refused = (refusal: string, isPermanent = true): DocumentOutcome => ({ ok: false, refusal, isPermanent });
