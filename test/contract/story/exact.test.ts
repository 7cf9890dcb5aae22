import { describe, expect, it } from "vitest";
import { useApp } from "../../support/app.ts";
import { compareBalances } from "../../support/compare-balances.ts";

const app = await useApp();

describe("the served story", () => {
  it("has the node's native, ERC-20, ERC-721 and ERC-1155 balances", async () => {
    // Only a CryptoPunks event reports the first owners of the faces.
    const result = await compareBalances(app, app.rpcUrl, [app.storyValues.punks]);
    expect(result.differences).toEqual([]);
    expect(result.read).toBe(0);
    expect(result.native).toBeGreaterThan(300);
    expect(result.erc20).toBeGreaterThan(1_000);
    expect(result.erc721).toBeGreaterThan(100);
    expect(result.erc1155).toBeGreaterThan(100);
  });
});
