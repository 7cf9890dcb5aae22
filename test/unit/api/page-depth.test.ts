import { describe, expect, it } from "vitest";
import { pageDepth } from "../../../runtime/api/page-depth.ts";

const page = { number: 7, size: 100 };

describe("the rows before a page", () => {
  it("are skipped by lists without keys", () => {
    expect(pageDepth("getTokenHolders", { page })).toEqual({ offset: 700, limitName: "skippedRows" });
    expect(pageDepth("getLogEventsByTopicHash", { page, secondaryTopics: ["0x01"] })).toEqual({ offset: 700, limitName: "skippedRows" });
    for (const filters of [
      { traitsFilter: ["fur"], valuesFilter: null },
      { traitsFilter: null, valuesFilter: ["blue"] },
    ])
      expect(pageDepth("getTokenIdsForContractWithMetadata", { page, ...filters })).toEqual({ offset: 700, limitName: "skippedRows" });
  });

  it("are located by lists with keys", () => {
    const located = { offset: 700, limitName: "locatedRows" };
    expect(pageDepth("getLogEventsByAddress", { page })).toEqual(located);
    expect(pageDepth("getLogEventsByTopicHash", { page, secondaryTopics: null })).toEqual(located);
    expect(pageDepth("getErc20TransfersForWalletAddress", { page, contractAddress: "0x01" })).toEqual(located);
    expect(pageDepth("getTransactionsForAccountAddress", { page })).toEqual(located);
    expect(pageDepth("getTokenIdsForContractWithMetadata", { page, traitsFilter: null, valuesFilter: null })).toEqual(located);
  });

  it("are not counted for lists of ranges and sums, or for requests without pages", () => {
    expect(pageDepth("getErc20TransfersForWalletAddress", { page, contractAddress: null })).toBeNull();
    for (const handler of ["getBlockHeights", "getTransactionsForDex", "getTransactionsForExchange", "getTransactionsForTokenAddress"])
      expect(pageDepth(handler, { page })).toBeNull();
    expect(pageDepth("getTransactionsForAddressByPage", { page: 7 })).toBeNull();
    expect(pageDepth("getBlock", {})).toBeNull();
  });
});
