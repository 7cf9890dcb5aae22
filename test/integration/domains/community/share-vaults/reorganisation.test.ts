import { describe } from "vitest";
import { builtInProtocol } from "../operations.ts";
import { testReorganisations } from "../test-reorganisations.ts";
import { startShareMarket } from "./market.ts";

describe("an index of protocols 09 and 10 after a reorganisation", () => {
  const tables = ["cq_protocol_09_deposits", "cq_protocol_09_share_price", "cq_protocol_10_share_price", "cq_protocol_10_share_price_v2"];
  testReorganisations("share vaults", tables, async (chain) => {
    const market = await startShareMarket(chain);
    return {
      ...market,
      protocols: ["protocol_09", "protocol_10"].map(builtInProtocol),
      wallets: [...market.shared.people, market.shared.collector],
    };
  });
});
