import ipaddr from "ipaddr.js";

/** Global unicast (RFC 4291, section 2.4): other ranges embed, map or translate addresses, or are not assigned to hosts. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Addresses in public ranges that reach the local environment: Azure's host agent. */
const localServices: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** The name of the non-public range that contains an address; null if the address is public. */
export const nonPublicRangeOf = (text: string): string | null => {
  if (!ipaddr.isValid(text)) return "unreadable";
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range !== "unicast") return range;
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast) ? null : "reserved";
  return localServices.has(address.toString()) ? "reserved" : null;
};
