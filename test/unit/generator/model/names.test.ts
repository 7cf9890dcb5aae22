import { describe, expect, it } from "vitest";
import { camelCase, compareText, kebabCase, pascalCase } from "../../../../generator/model/names.ts";

describe("names", () => {
  it.each([
    ["page-size", "pageSize"],
    ["block-signed-at-asc", "blockSignedAtAsc"],
    ["market_data", "marketData"],
    ["chainName", "chainName"],
    ["from", "from"],
  ])("turns %s into the camelCase %s", (name, expected) => {
    expect(camelCase(name)).toBe(expected);
  });

  it.each([
    ["getTokenHolders", "get-token-holders"],
    ["getErc20TransfersForWalletAddress", "get-erc20-transfers-for-wallet-address"],
    ["checkOwnershipInNft", "check-ownership-in-nft"],
  ])("turns %s into the file name %s", (name, expected) => {
    expect(kebabCase(name)).toBe(expected);
  });

  it("starts types with a capital", () => {
    expect(pascalCase("getTokenHolders")).toBe("GetTokenHolders");
    expect(pascalCase("page-size")).toBe("PageSize");
  });

  it("orders texts by code units, capitals first, in every locale", () => {
    expect(["b", "a", "B", "ä"].sort(compareText)).toEqual(["B", "a", "b", "ä"]);
  });
});
