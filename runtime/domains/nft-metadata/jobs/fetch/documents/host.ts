/** Max length of a host name (RFC 1035, section 2.3.4). */
const maxHostLength = 253;

/** An IPFS content identifier (CIDv0 or CIDv1) without a scheme, which some contracts return. */
const bareContentId = /^\s*(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,110})(?:$|\/)/;

/** The host that serves a URL, or a scheme served by gateways; null if the URL embeds the document. */
export const hostOf = (url: string): string | null => {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === "data" || /^\s*[{[]/.test(url)) return null;
  if (scheme === "ipfs" || scheme === "ar") return `${scheme}:`;
  if (scheme === undefined && bareContentId.test(url)) return "ipfs:";
  try {
    return new URL(url).host.slice(0, maxHostLength) || "other";
  } catch {
    return "other";
  }
};

/**
 * Max concurrent fetches from one host: a quarter of the total, so that a slow host does not delay other hosts; half of the total for the gateways,
 * which the operator chose.
 */
export const maxPerHost = (host: string, concurrency: number): number => Math.max(1, Math.ceil(concurrency / (host.endsWith(":") ? 2 : 4)));
