import { describe } from "vitest";
import { builtInProtocol } from "../operations.ts";
import { testReorganisations } from "../test-reorganisations.ts";
import { startPoolMarket } from "./market.ts";

describe("protocol 02 after a reorganisation", () => {
  const tables = ["pool_tokens", "actual_supply", "share_supply", "swaps", "balance_changes"].map((name) => `cq_protocol_02_${name}`);
  testReorganisations("pools of a vault", tables, async (chain) => {
    const market = await startPoolMarket(chain);
    return {
      ...market,
      protocols: [builtInProtocol("protocol_02")],
      community: { protocol_02: { vault: [market.vault] } },
      wallets: market.people,
    };
  });
});
