import { isIP } from "node:net";
import { type Refusal, refuse } from "./refusals.ts";

/**
 * Domains that are never on the public Internet (RFC 6761, RFC 6762, RFC 7686, RFC 8375, ICANN's reservation of internal), and arpa, which hosts no
 * documents.
 */
const localDomains = ["localhost", "local", "internal", "invalid", "onion", "arpa"];

/** Why an untrusted URL is refused before its name is resolved; null if it is acceptable. */
export const checkUrl = (url: URL, ports: readonly string[]): Refusal | null => {
  if (url.protocol !== "https:") return refuse("scheme", url.protocol);
  if (url.username !== "" || url.password !== "") return refuse("credentials", url.hostname);
  if (isIpLiteral(url.hostname)) return refuse("literal-address", url.hostname);
  if (isLocal(url.hostname)) return refuse("local-name", url.hostname);
  const port = url.port === "" ? "443" : url.port;
  return ports.includes(port) ? null : refuse("port", port, url.hostname);
};

/** Whether a host is an IP address. The URL parser has normalized IPv4 addresses to dotted decimal, and IPv6 to brackets (WHATWG URL, "host parsing"). */
const isIpLiteral = (hostname: string): boolean => hostname.startsWith("[") || isIP(hostname) !== 0;

/** Whether a name is local: without a dot or under a reserved domain. Names with a trailing dot, which would hide both, are treated as local. */
const isLocal = (hostname: string): boolean => {
  const labels = hostname.split(".");
  return labels.length < 2 || labels.includes("") || localDomains.includes(labels.at(-1) ?? "");
};
