import { describe } from "vitest";
import { builtInProtocol } from "../operations.ts";
import { testReorganisations } from "../test-reorganisations.ts";
import { startCTokenMarkets } from "./market.ts";
import { family, tokensOf } from "./story.ts";

describe.each(family)("$id after a reorganisation", ({ id, kinds }) => {
  const tables = ["accruals", "token_supply", "cash", "debts"].map((name) => `cq_${id}_${name}`);
  testReorganisations(`markets of ${id}`, tables, async (chain) => {
    const market = await startCTokenMarkets(chain, kinds);
    return {
      ...market,
      protocols: [builtInProtocol(id)],
      community: { [id]: { comptroller: [market.registry] } },
      wallets: market.people,
      tokens: tokensOf(market),
    };
  });
});
