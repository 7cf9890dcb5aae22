import { describe, expect, it } from "vitest";
import { useApp } from "../../support/app.ts";
import { compareBalances, unaccountedTokens } from "../../support/compare-balances.ts";

const app = await useApp();

describe("the served story", () => {
  it("has the same native, ERC-20, ERC-721 and ERC-1155 balances as the node", async () => {
    const result = await compareBalances(app, app.rpcUrl, unaccountedTokens(app.storyValues));
    expect(result.differences).toEqual([]);
    expect(result.read).toBe(0);
    expect(result.native).toBeGreaterThan(300);
    expect(result.erc20).toBeGreaterThan(1_000);
    expect(result.erc721).toBeGreaterThan(100);
    expect(result.erc1155).toBeGreaterThan(100);
  });
});
