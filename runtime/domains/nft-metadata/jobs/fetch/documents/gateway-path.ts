/** The path of a content-addressed document on a gateway, or a sentence that describes the problem with its URL. */
export type GatewayPath = { readonly path: string } | { readonly problem: string };

/** CIDv0 in base58, or CIDv1 in one of its common bases. */
const contentId = /^(?:Qm[1-9A-HJ-NP-Za-km-z]{44}|[bBfFkKzZ][0-9A-Za-z]{30,120})$/;
/** 32 bytes in base64url. */
const transactionId = /^[A-Za-z0-9_-]{43}$/;
const maxPathLength = 2048;

/** The path of ipfs://CID/path. The common form with a second ipfs/ before the CID is also accepted. */
export const ipfsPath = (url: string): GatewayPath => {
  const [id = "", ...segments] = segmentsOf(url.replace(/^ipfs:\/*(?:ipfs\/+)?/i, ""));
  if (!contentId.test(id)) return { problem: "The ipfs: URL has no content identifier; expected ipfs://CID/path." };
  return pathOf("/ipfs", id, segments);
};

/** The path of ar://ID/path. */
export const arweavePath = (url: string): GatewayPath => {
  const [id = "", ...segments] = segmentsOf(url.replace(/^ar:\/*/i, ""));
  if (!transactionId.test(id)) return { problem: "The ar: URL has no transaction id; expected ar://ID/path." };
  return pathOf("", id, segments);
};

/** A path's segments, without its query string, which is not part of a content address. */
const segmentsOf = (text: string): string[] => (text.trim().split("?", 1)[0] ?? "").split("/").filter((segment) => segment !== "");

const pathOf = (root: string, id: string, segments: readonly string[]): GatewayPath => {
  const escaped = segments.map(escapeSegment);
  if (escaped.includes(null)) return { problem: "The path of the URL leads outside its content or contains invalid characters." };
  const path = [root, id, ...escaped].join("/");
  return path.length > maxPathLength ? { problem: `The path of the URL has more than ${maxPathLength} characters.` } : { path };
};

/** Escapes the characters that a path cannot contain, leaving existing escapes. Null if the unescaped segment would leave the path. */
const escapeSegment = (segment: string): string | null => {
  if (!isSafeSegment(segment)) return null;
  return encodeURIComponent(segment.toWellFormed()).replace(/%25(?=[0-9A-Fa-f]{2})/g, "%");
};

const isSafeSegment = (segment: string): boolean => {
  let text = segment;
  // Each of several servers in a chain may unescape the segment once.
  for (let round = 0; round < 3; round += 1) {
    if (/^\.{1,2}$|[/\\\p{Cc}]/u.test(text)) return false;
    text = text.replace(/%([0-7][0-9A-Fa-f])/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
  return !/^\.{1,2}$|[/\\\p{Cc}]/u.test(text);
};
