import { describe } from "vitest";
import { poolsProjection } from "../../../../../runtime/domains/pools/projection/index.ts";
import { builtInProtocol } from "../operations.ts";
import { testReorganisations } from "../test-reorganisations.ts";
import { startExchangeMarket } from "./exchange-market.ts";

describe("protocol 07 after a reorganisation", () => {
  testReorganisations("pools of exchanges", ["pools", "pool_states", "pool_actions"], async (chain) => {
    const market = await startExchangeMarket(chain);
    return {
      ...market,
      tokens: [],
      protocols: [builtInProtocol("protocol_07")],
      community: { protocol_07: { factory: [market.plain.factory, market.taxed.factory] } },
      projections: [poolsProjection],
      wallets: market.people,
    };
  });
});
