import { failures } from "./errors.ts";

/** A request's canonical path, and its query text. */
export interface RequestTarget {
  readonly path: string;
  readonly query: string;
}

const communityPath = /^(\/v1\/cq\/provider\/app\/)([^/]+)(?=\/|$)/;
/** Absolute form (RFC 9112, section 3.2.2). */
const authority = /^https?:\/\/[^/?#]*/i;

/** The canonical form of equivalent segments (RFC 3986, section 6.2.2): `xy%3Dk` becomes `xy=k`; an encoded slash stays encoded. */
function canonicalSegment(segment: string): string {
  if (!segment.includes("%")) return segment;
  return encodeURIComponent(decodeURIComponent(segment)).replace(/%3D/g, "=");
}

/** Splits a request target and normalizes its path. @throws {HttpError} 400 if the target is not a path or is badly encoded. */
export function readTarget(url: string, protocols: ReadonlyMap<string, string>): RequestTarget {
  const target = url.replace(authority, "");
  const mark = target.indexOf("?");
  const sent = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  if (!sent.startsWith("/")) {
    if (sent === "" && target !== url) return { path: "/", query };
    throw failures.invalidTarget();
  }
  let path = sent;
  if (sent.includes("%")) {
    try {
      path = sent.split("/").map(canonicalSegment).join("/");
    } catch {
      throw failures.urlEncoding("the path");
    }
  }
  path = path.replace(communityPath, (match, head: string, name: string) => {
    const protocol = protocols.get(name);
    return protocol === undefined ? match : `${head}${protocol}`;
  });
  return { path, query };
}

/** Maps the operator's names for community protocols to the names in the routes. */
export function protocolsByName(protocols: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(protocols).map(([protocol, name]) => [encodeURIComponent(name).replace(/%3D/g, "="), protocol]));
}
