import { describe } from "vitest";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall } from "../../../support/chain.ts";
import { contracts } from "./contracts.ts";
import { builtInProtocol } from "./operations.ts";
import { vaultsOf } from "./support.ts";
import { testReorganisations } from "./test-reorganisations.ts";
import { createVault, startMarket } from "./vault-market.ts";

const tablesOf = (protocol: string, names: readonly string[]): string[] => names.map((name) => `cq_${protocol}_${name}`);

describe("an index of discovered contracts after a reorganisation", () => {
  const tables = tablesOf("vaults", ["contracts", "deposits", "deposits_latest", "share_price", "share_price_latest"]);
  testReorganisations("vaults", tables, async (chain) => {
    const market = await startMarket(chain);
    return {
      ...market,
      protocols: [vaultsOf(market.factory)],
      wallets: [],
      // Each branch announces a different vault.
      mineLast: () => createVault(chain, { ...market, vaults: [] as Address[] }, true),
      branchTransactions: [encodeCall(contracts("Factory"), market.factory, "createWithDeposit", [market.asset, 77n])],
    };
  });
});

describe("protocol 06 after a reorganisation", () => {
  const tables = tablesOf("protocol_06", ["deposits", "withdrawals", "total_assets", "share_supply", "share_price"]);
  testReorganisations("lending vaults", tables, async (chain) => {
    const market = await startMarket(chain);
    return {
      ...market,
      protocols: [builtInProtocol("protocol_06")],
      community: { protocol_06: { vault: market.vaults } },
      wallets: chain.accounts.slice(0, 4) as Address[],
      tokens: [{ address: market.asset, name: "Asset", decimals: 18, price: 2 }],
    };
  });
});
