/** Where a document of a content-addressed network is below a gateway, or why it is nowhere, as a sentence. */
export type GatewayPath = { readonly path: string } | { readonly fault: string };

/** CIDv0 in base58, or CIDv1 in one of its usual bases. */
const contentId = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|[bBfFkKzZ][0-9A-Za-z]{30,120})$/;
/** 32 bytes in base64url. */
const transactionId = /^[A-Za-z0-9_-]{43}$/;
const longestPath = 2048;

/** ipfs://CID/path, also with a second ipfs/ before it, as it is often written. */
export const ipfsPath = (url: string): GatewayPath => {
  const [id = "", ...segments] = segmentsOf(url.replace(/^ipfs:\/*(?:ipfs\/+)?/i, ""));
  if (!contentId.test(id)) return { fault: "The ipfs: address has no content identifier; ipfs://CID/path is accepted." };
  return pathOf("/ipfs", id, segments);
};

/** ar://ID/path. */
export const arweavePath = (url: string): GatewayPath => {
  const [id = "", ...segments] = segmentsOf(url.replace(/^ar:\/*/i, ""));
  if (!transactionId.test(id)) return { fault: "The ar: address has no transaction identifier; ar://ID/path is accepted." };
  return pathOf("", id, segments);
};

/** What follows a ? is no part of a content's address. */
const segmentsOf = (text: string): string[] => (text.trim().split("?", 1)[0] ?? "").split("/").filter((segment) => segment !== "");

const pathOf = (root: string, id: string, segments: readonly string[]): GatewayPath => {
  const escaped = segments.map(escapeSegment);
  if (escaped.includes(null))
    return { fault: "The path of the address leaves its content or holds characters of no path; plain names are accepted." };
  const path = [root, id, ...escaped].join("/");
  return path.length > longestPath ? { fault: `The address is longer than ${longestPath} characters.` } : { path };
};

/** Escapes that are there stay; everything else that a path may not hold becomes one. Null for what would lead elsewhere once somebody undoes the escapes. */
const escapeSegment = (segment: string): string | null => {
  if (!isPlain(segment)) return null;
  return encodeURIComponent(segment.toWellFormed()).replace(/%25(?=[0-9A-Fa-f]{2})/g, "%");
};

const isPlain = (segment: string): boolean => {
  let text = segment;
  // Servers in a row may each undo escapes once.
  for (let round = 0; round < 3; round += 1) {
    if (/^\.{1,2}$|[/\\\p{Cc}]/u.test(text)) return false;
    text = text.replace(/%([0-7][0-9A-Fa-f])/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
  return !/^\.{1,2}$|[/\\\p{Cc}]/u.test(text);
};
