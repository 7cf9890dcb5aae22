import { parserOf } from "./parsed.ts";

/** EIP-721 and EIP-1155 ids are below this limit, because their type is uint256. */
const limit = 2n ** 256n;
const idPattern = /^(?:0|[1-9][0-9]{0,77})$/;

function read(text: string): bigint | undefined {
  const value = idPattern.test(text) ? BigInt(text) : limit;
  return value < limit ? value : undefined;
}

/** Parses a token id. */
export const parseTokenId = parserOf("a decimal whole number below 2^256", read);
