/** Settings that may contain a password or a key: node, gateway and database URLs, and tokens. */
const secretSettings: ReadonlySet<PropertyKey> = new Set([
  "rpc",
  "ws",
  "databaseUrl",
  "readUrls",
  "databases",
  "communityDatabaseUrl",
  "ipfsGateways",
  "arweaveGateways",
  "bearerToken",
]);
/** A URL may contain a key in any part except its scheme. */
const containsUrl = /:\/\//;
/** An API key of Ashlar (`ckey_` followed by 27 hex digits), or the beginning of one. */
const containsKey = /ckey_/i;
const maxLength = 100;

/** Renders an invalid value for a message; null if it may contain a secret, or if it is a map or a list of maps. */
export function renderValue(path: readonly PropertyKey[], value: unknown): string | null {
  if (path.some((step) => secretSettings.has(step))) return null;
  const isQuotable = Array.isArray(value) ? value.every(isScalar) : isScalar(value);
  if (!isQuotable) return null;
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  if (containsUrl.test(text) || containsKey.test(text)) return null;
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

const isScalar = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value);
