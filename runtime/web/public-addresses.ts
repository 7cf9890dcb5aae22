import ipaddr from "ipaddr.js";

/** Global unicast (RFC 4291, section 2.4): what lies outside embeds, maps or translates other addresses, or is no machine's. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/** Public by their numbers, and yet answered by the machine's own surroundings: the host agent of a large cloud. */
const surroundings: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** The kind of range that an address is in where it is not public, for people; null where it is public. */
export const privateRange = (text: string): string | null => {
  if (!ipaddr.isValid(text)) return "unreadable";
  const address = ipaddr.parse(text);
  const range = address.range();
  if (range !== "unicast") return range;
  if (address instanceof ipaddr.IPv6) return address.match(globalUnicast) ? null : "reserved";
  return surroundings.has(address.toString()) ? "reserved" : null;
};
