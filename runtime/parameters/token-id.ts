import { parserOf } from "./parsed.ts";

/** EIP-721 and EIP-1155 ids are uint256. */
const ceiling = 2n ** 256n;
const idForm = /^(?:0|[1-9][0-9]{0,77})$/;

function read(text: string): bigint | undefined {
  const value = idForm.test(text) ? BigInt(text) : ceiling;
  return value < ceiling ? value : undefined;
}

/** Parses a token id. */
export const parseTokenId = parserOf("a decimal whole number below 2^256", read);
