import { describe, expect, it } from "vitest";
import { parseAddress, parseCredits, parseInteger, parseTokenId } from "../../../runtime/commands/option-values.ts";

const address = `0x${"Ab".repeat(20)}`;
const credits = Math.floor(Number.MAX_SAFE_INTEGER / 100);
const largestId = (2n ** 256n - 1n).toString();

describe("a value on the command line", () => {
  it("is parsed", () => {
    expect(parseInteger("--from")("0")).toBe(0);
    expect(parseCredits("--credits")(String(credits))).toBe(credits);
    expect(parseAddress("collection")(address)).toBe(address.toLowerCase());
    expect(parseTokenId("token-id")(largestId)).toBe(largestId);
  });

  it.each([
    [parseInteger("--from"), "0x10", 'Invalid value "0x10" for --from: expected an integer from 0 to 9007199254740991.'],
    [
      parseInteger("--from"),
      "9007199254740992",
      'Invalid value "9007199254740992" for --from: expected an integer from 0 to 9007199254740991.',
    ],
    [
      parseCredits("--credits"),
      String(credits + 1),
      `Invalid value "${credits + 1}" for --credits: expected an integer from 0 to ${credits}.`,
    ],
    [parseAddress("collection"), "0x12", 'Invalid value "0x12" for collection: expected an address (0x followed by 40 hex digits).'],
    [parseTokenId("token-id"), "-1", 'Invalid value "-1" for token-id: expected an integer from 0 to 2^256 - 1.'],
    [
      parseTokenId("token-id"),
      (2n ** 256n).toString(),
      `Invalid value "${2n ** 256n}" for token-id: expected an integer from 0 to 2^256 - 1.`,
    ],
  ])("is rejected with the option, the value and the expected form", (parse, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });
});
