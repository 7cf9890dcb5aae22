/** A name of a host is no longer (RFC 1035, section 2.3.4). */
const longestName = 253;

/** The identifiers of IPFS without a scheme, which contracts give as well (CIDs of versions 0 and 1). */
const bareContentId = /^\s*(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|baf[a-z2-7]{50,110})(?:$|\/)/;

/** Who serves what a URL leads to: a host, or a scheme that gateways stand for; null where the URL itself has the document. */
export const hostOf = (url: string): string | null => {
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme === "data" || /^\s*[{[]/.test(url)) return null;
  if (scheme === "ipfs" || scheme === "ar") return `${scheme}:`;
  if (scheme === undefined && bareContentId.test(url)) return "ipfs:";
  try {
    return new URL(url).host.slice(0, longestName) || "other";
  } catch {
    return "other";
  }
};

/** Documents that are fetched of one host at once: a quarter of all, so that a slow one keeps nobody else's waiting; of gateways, which the operator chose, half. */
export const maxOfHost = (host: string, atOnce: number): number => Math.max(1, Math.ceil(atOnce / (host.endsWith(":") ? 2 : 4)));
