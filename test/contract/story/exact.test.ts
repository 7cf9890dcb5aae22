import { describe, expect, it } from "vitest";
import { useApp } from "../../support/app.ts";
import { compareBalances } from "../../support/compare-balances.ts";

const app = await useApp();

describe("the served story", () => {
  it("has the same native, ERC-20, ERC-721 and ERC-1155 balances as the node", async () => {
    // The first owners of the punks are known only from an event of CryptoPunks, the balances of lending tokens grow with time, and cTokens are minted by a
    // Transfer event from their own contract, which has none.
    const { punks, ...values } = app.storyValues;
    const lending = Object.entries(values).flatMap(([name, value]) =>
      /^(lending|cToken|vToken)(Dollar|Gold|Collateral)/.test(name) ? [value] : [],
    );
    const result = await compareBalances(app, app.rpcUrl, [punks, ...lending]);
    expect(result.differences).toEqual([]);
    expect(result.read).toBe(0);
    expect(result.native).toBeGreaterThan(300);
    expect(result.erc20).toBeGreaterThan(1_000);
    expect(result.erc721).toBeGreaterThan(100);
    expect(result.erc1155).toBeGreaterThan(100);
  });
});
