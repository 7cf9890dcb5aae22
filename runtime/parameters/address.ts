import type { AddressReference, Hex, Parsed } from "../../generated/requests.gen.ts";
import { normalName } from "../lib/normal-name.ts";
import { accept, refuse } from "./parsed.ts";

const addressForm = /^0x[0-9a-f]{40}$/i;
/** The bound of a DNS name (RFC 1035, section 2.3.4), which registries of names keep to. */
const longestName = 255;

/** What an address parameter accepts. */
export const addressExpected = "0x + 40 hex digits or a registered name";
const nameExpected = `${addressExpected} (of characters that ENSIP-15 allows, up to ${longestName})`;

/** An address in any case, in lower case afterwards; or a name in the form that ENSIP-15 gives it, which is looked up later. */
export function parseAddress(text: string): Parsed<AddressReference> {
  if (addressForm.test(text)) return accept({ address: text.toLowerCase() as Hex });
  // A name has labels between dots; which characters they may hold, and which of them only inside an emoji, is ENSIP-15's to say.
  if (!text.includes(".")) return refuse(addressExpected);
  const name = text.length <= longestName ? normalName(text) : null;
  return name === null ? refuse(nameExpected) : accept({ name });
}
