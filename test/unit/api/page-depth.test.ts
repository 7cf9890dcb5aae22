import { describe, expect, it } from "vitest";
import { skippedRows } from "../../../runtime/api/page-depth.ts";

const page = { number: 7, size: 100 };

describe("the rows before a page", () => {
  it("are skipped by lists without ordinals", () => {
    expect(skippedRows("getLogEventsByAddress", { page })).toBe(700);
    expect(skippedRows("getErc20TransfersForWalletAddress", { page, contractAddress: "0x01" })).toBe(700);
  });

  it("are not read by lists of ranges, and not by requests without pages", () => {
    expect(skippedRows("getErc20TransfersForWalletAddress", { page, contractAddress: null })).toBe(0);
    expect(skippedRows("getBlockHeights", { page })).toBe(0);
    expect(skippedRows("getTransactionsForAddressByPage", { page: 7 })).toBe(0);
    expect(skippedRows("getBlock", {})).toBe(0);
  });
});
