import { describe, expect, it } from "vitest";
import { camelCase, compareText, kebabCase, pascalCase } from "../../../../generator/model/names.ts";

describe("name conversion", () => {
  it.each([
    ["page-size", "pageSize"],
    ["block-signed-at-asc", "blockSignedAtAsc"],
    ["market_data", "marketData"],
    ["chainName", "chainName"],
    ["from", "from"],
  ])("converts %s to the camelCase name %s", (name, expected) => {
    expect(camelCase(name)).toBe(expected);
  });

  it.each([
    ["getTokenHolders", "get-token-holders"],
    ["getErc20TransfersForWalletAddress", "get-erc20-transfers-for-wallet-address"],
    ["checkOwnershipInNft", "check-ownership-in-nft"],
  ])("converts %s to the file name %s", (name, expected) => {
    expect(kebabCase(name)).toBe(expected);
  });

  it("starts type names with a capital letter", () => {
    expect(pascalCase("getTokenHolders")).toBe("GetTokenHolders");
    expect(pascalCase("page-size")).toBe("PageSize");
  });
});

describe("compareText", () => {
  it("orders strings by code units, capital letters first, in every locale", () => {
    expect(["b", "a", "B", "ä"].sort(compareText)).toEqual(["B", "a", "b", "ä"]);
  });
});
