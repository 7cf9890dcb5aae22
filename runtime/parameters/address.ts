import type { AddressReference, Hex } from "../../generated/requests.gen.ts";
import { parserOf } from "./parsed.ts";

const addressForm = /^0x[0-9a-f]{40}$/i;
/** Labels between dots, without white space, control characters, slashes and what a URL or a list reserves. */
const nameForm = /^[^\s\p{C}.,/\\?#%@:;"'<>]+(?:\.[^\s\p{C}.,/\\?#%@:;"'<>]+)+$/u;
/** The bound of a DNS name (RFC 1035, section 2.3.4), which registries of names keep to. */
const longestName = 255;

/** What an address parameter accepts. */
export const addressAccepted = "0x + 40 hex digits or a registered name";

function read(text: string): AddressReference | undefined {
  if (addressForm.test(text)) return { address: text.toLowerCase() as Hex };
  return text.length <= longestName && nameForm.test(text) ? { name: text.toLowerCase() } : undefined;
}

/** An address in any case, in lower case afterwards; or a name, which is looked up later. */
export const parseAddress = parserOf(addressAccepted, read);
