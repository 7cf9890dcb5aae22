import { isIP } from "node:net";
import type { Request } from "express";
import { baseUrl } from "./base-url.ts";

/** Loopback names, which are never resolved by DNS (RFC 6761, section 6.3). */
const loopbackName = /^(?:[a-z0-9-]+\.)*localhost$/i;

/**
 * Whether a request was sent by one of this server's own pages: only these may read the response. Browsers send the origin of a request (Fetch Metadata,
 * `Sec-Fetch-Site`; Fetch, `Origin`). Pages of an untrusted domain that resolves to this server are same-origin with it (DNS rebinding), so only loopback
 * names, the host of the public URL and IP addresses are accepted as hosts.
 */
export function isSameOriginRequest(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const host: string | undefined = request.host;
  if (host === undefined) return false;
  const published = publicUrl === undefined ? null : new URL(publicUrl);
  if (host.toLowerCase() !== published?.host && !isAddressOrLoopback(host)) return false;
  const { origin } = request.headers;
  return origin === undefined || origin === new URL(baseUrl(request, publicUrl)).origin || origin === `${request.protocol}://${host}`;
}

function isAddressOrLoopback(host: string): boolean {
  const name = host.replace(/:[0-9]{1,5}$/, "");
  return loopbackName.test(name) || isIP(name) === 4 || (/^\[.*\]$/.test(name) && isIP(name.slice(1, -1)) === 6);
}
