import { describe } from "vitest";
import { builtInProtocol } from "../operations.ts";
import { testReorganisations } from "../test-reorganisations.ts";
import { startStableMarket } from "./market.ts";
import { contractsOf } from "./pool-index.ts";

describe("protocol 05 after a reorganisation", () => {
  const tables = ["exchanges", "additions", "removals", "balance", "balance_latest", "virtual_price"].map(
    (name) => `cq_protocol_05_${name}`,
  );
  testReorganisations("stable pools", tables, async (chain) => {
    const market = await startStableMarket(chain);
    return { ...market, tokens: [], protocols: [builtInProtocol("protocol_05")], community: contractsOf(market), wallets: market.people };
  });
});
