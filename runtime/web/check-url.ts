import { isIP } from "node:net";
import { type Refusal, refuse } from "./refusals.ts";

/** Domains that never are of the public Internet (RFC 6761, RFC 6762, RFC 7686, RFC 8375, ICANN's reservation of internal), and arpa, which holds no documents. */
const localDomains = ["localhost", "local", "internal", "invalid", "onion", "arpa"];

/** What a stranger's URL is refused for before anything is asked; null where it may go on to the name's addresses. */
export const checkUrl = (url: URL, ports: readonly string[]): Refusal | null => {
  if (url.protocol !== "https:") return refuse("scheme", url.protocol);
  if (url.username !== "" || url.password !== "") return refuse("credentials", url.hostname);
  if (isLiteral(url.hostname)) return refuse("literal-address", url.hostname);
  if (isLocal(url.hostname)) return refuse("local-name", url.hostname);
  const port = url.port === "" ? "443" : url.port;
  return ports.includes(port) ? null : refuse("port", port, url.hostname);
};

/** The URL parser has made one spelling of all: decimal, octal, hex and shortened addresses became dotted ones, IPv6 stands in brackets (WHATWG URL, "host parsing"). */
const isLiteral = (hostname: string): boolean => hostname.startsWith("[") || isIP(hostname) !== 0;

/** A name without a dot is one of the local network, and so is what ends with a reserved domain; a dot at the end would hide both. */
const isLocal = (hostname: string): boolean => {
  const labels = hostname.split(".");
  return labels.length < 2 || labels.includes("") || localDomains.includes(labels.at(-1) ?? "");
};
