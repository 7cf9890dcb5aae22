import { describe } from "vitest";
import { builtInProtocol } from "../operations.ts";
import { testReorganisations } from "../test-reorganisations.ts";
import { startLending } from "./market.ts";
import { configurationOf, playFixedSteps, tokensOf } from "./story.ts";

describe("protocol 01 after a reorganisation", () => {
  const tables = ["reserve_updates", "a_token_changes", "variable_debt_changes", "a_token_supply"].map((name) => `cq_protocol_01_${name}`);
  testReorganisations("lending pools", tables, async (chain) => {
    const market = await startLending(chain);
    await playFixedSteps(chain, market);
    return {
      ...market,
      protocols: [builtInProtocol("protocol_01")],
      community: configurationOf(market),
      wallets: [...market.people, market.treasury],
      tokens: tokensOf(market),
    };
  });
});
