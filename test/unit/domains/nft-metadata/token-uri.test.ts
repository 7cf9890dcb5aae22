import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { decodeUri, uriCall } from "../../../../runtime/domains/nft-metadata/jobs/fetch/token-uri.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";

const token: Address = `0x${"ab".repeat(20)}`;
const abi = parseAbi(["function tokenURI(uint256 id) view returns (string)", "function uri(uint256 id) view returns (string)"]);
const maxTokenId = (2n ** 256n - 1n).toString();
const collectible = { token, token_id: "314592", standard: standards.erc1155 };
const single = { token, token_id: "7", standard: standards.erc721 };
const responseWith = (text: string) => ({ ok: true as const, data: encodeAbiParameters([{ type: "string" }], [text]) });
const word = (value: bigint | number): string => BigInt(value).toString(16).padStart(64, "0");

describe("the call for a token's metadata URL", () => {
  it("is EIP-721's tokenURI and EIP-1155's uri", () => {
    expect(uriCall({ token, token_id: maxTokenId, standard: standards.erc721 })).toEqual({
      to: token,
      data: encodeFunctionData({ abi, functionName: "tokenURI", args: [BigInt(maxTokenId)] }),
    });
    expect(uriCall(collectible).data).toBe(encodeFunctionData({ abi, functionName: "uri", args: [314592n] }));
  });
});

describe("a token's metadata URL", () => {
  it("is the string that the contract returns", () => {
    expect(decodeUri(responseWith("https://nft.example/7"), single)).toBe("https://nft.example/7");
    expect(decodeUri(responseWith(" ipfs://Qm/ü.json\n"), single)).toBe("ipfs://Qm/ü.json");
  });

  it("has an EIP-1155 token's id substituted, as in the standard's example", () => {
    const id = "000000000000000000000000000000000000000000000000000000000004cce0";
    expect(decodeUri(responseWith("https://token-cdn-domain/{id}.json"), collectible)).toBe(`https://token-cdn-domain/${id}.json`);
    expect(decodeUri(responseWith("https://token-cdn-domain/{id}.json"), single)).toBe("https://token-cdn-domain/{id}.json");
  });

  it("is null if the call reverts, returns nothing, or does not return a string", () => {
    const responses: Hex[] = [
      "0x",
      "0x00",
      `0x${word(32)}`,
      `0x${word(32)}${word(5)}`,
      `0x${word(32)}${word(2n ** 255n)}`,
      `0x${word(2n ** 40n)}${word(1)}`,
      responseWith("").data,
      responseWith("\0 \0").data,
    ];
    expect(responses.map((data) => decodeUri({ ok: true, data }, single))).toEqual(responses.map(() => null));
    expect(decodeUri({ ok: false, reverted: true }, single)).toBeNull();
    expect(decodeUri(undefined, single)).toBeNull();
  });
});
