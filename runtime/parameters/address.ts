import type { AddressReference, Hex, Parsed } from "../../generated/requests.gen.ts";
import { normalizeName } from "../lib/normalize-name.ts";
import { accept, reject } from "./parsed.ts";

const addressPattern = /^0x[0-9a-f]{40}$/i;
/** The max length of a DNS name (RFC 1035, section 2.3.4), which name registries also use. */
const maxNameLength = 255;

/** Describes the accepted addresses on EVM chains. */
export const addressExpected = "0x followed by 40 hex digits or a registered name";
const nameExpected = `${addressExpected} (of characters that ENSIP-15 allows, up to ${maxNameLength})`;

/** Parses an address to lower case, or a name to its normalized form (ENSIP-15); names are resolved later. */
export function parseAddress(text: string): Parsed<AddressReference> {
  if (addressPattern.test(text)) return accept({ address: text.toLowerCase() as Hex });
  // A name has labels separated by dots; ENSIP-15 defines the characters of labels.
  if (!text.includes(".")) return reject(addressExpected);
  const name = text.length <= maxNameLength ? normalizeName(text) : null;
  return name === null ? reject(nameExpected) : accept({ name });
}
