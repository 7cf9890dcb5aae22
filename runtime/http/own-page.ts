import { isIP } from "node:net";
import type { Request } from "express";
import { baseUrl } from "./base-url.ts";

/** Names of this machine that no name server decides on (RFC 6761, section 6.3). */
const loopbackName = /^(?:[a-z0-9-]+\.)*localhost$/i;

/**
 * Whether what a request asks for may be read by the page that sent it, where that is meant for pages of this server alone. Browsers say where a request
 * comes from (Fetch Metadata, `Sec-Fetch-Site`; Fetch, `Origin`). A name that a stranger's name server leads here has pages of its own, to which this
 * server is the same origin: so names are those of this machine and of the public URL, or addresses, which no name server leads anywhere.
 */
export function isOwnPage(request: Request, publicUrl: string | undefined): boolean {
  const site = request.headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return false;
  const host: unknown = request.host;
  if (typeof host !== "string") return false;
  const published = publicUrl === undefined ? null : new URL(publicUrl);
  if (host.toLowerCase() !== published?.host && !isAddressOrLoopback(host)) return false;
  const { origin } = request.headers;
  return origin === undefined || origin === new URL(baseUrl(request, publicUrl)).origin || origin === `${request.protocol}://${host}`;
}

function isAddressOrLoopback(host: string): boolean {
  const name = host.replace(/:[0-9]{1,5}$/, "");
  return loopbackName.test(name) || isIP(name) === 4 || (/^\[.*\]$/.test(name) && isIP(name.slice(1, -1)) === 6);
}
