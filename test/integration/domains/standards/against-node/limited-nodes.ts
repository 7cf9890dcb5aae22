import { describe, expect, it } from "vitest";
import { standards } from "../../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { createTestDatabase } from "../../../../support/database.ts";
import { addressOf, chain, index, proxy, standardsOf } from "./setup.ts";

/** Tests of standards from nodes without old state and from failing nodes. */
export const describeLimitedNodes = (): void => {
  describe("standards from a limited node", () => {
    const refuse = (isRefused: (height: string) => boolean) => {
      proxy.tamper = (method, response, params) => {
        if (method !== "eth_call" || !isRefused(String(params[1]))) return;
        response.result = undefined;
        response.error = { code: -32_000, message: "missing trie node" };
      };
    };

    it("are read at the head if the node has no old state", async () => {
      const head = `0x${(await chain.head()).toString(16)}`;
      refuse((height) => height !== head);
      const other = await createTestDatabase();
      const running = await index(other.database);
      proxy.tamper = null;
      expect(running.warnings.filter((warning) => warning.includes("eth_call"))).toEqual([]);
      // The Switchable contract responds differently at the head.
      expect(await standardsOf(other.database)).toEqual({ ...(await standardsOf()), Switchable: [standards.erc721] });
      await other.drop();
    });

    it("are inferred from the logs, with a warning, if the node cannot run contracts", async () => {
      refuse(() => true);
      const other = await createTestDatabase();
      const running = await index(other.database);
      proxy.tamper = null;
      const { erc721 } = standards;
      expect(await standardsOf(other.database)).toEqual({
        ...(await standardsOf()),
        AllIndexed: [erc721],
        NoneIndexed: [erc721],
        Switchable: [erc721],
        // Without a response, the contract's ERC-20 event is not evidence of a standard.
        hybridWithOwnEventName: [erc721],
      });
      expect(running.warnings.filter((warning) => warning.includes("returned no result for eth_call to 11 contracts"))).toHaveLength(1);
      const unread = await other.database.query(
        "SELECT 1 FROM contract_standards WHERE read_at_block IS NULL AND NOT is_coin AND NOT is_collection",
      );
      expect(unread).toHaveLength(11);
      await other.drop();
    });
  });

  describe("a failing node", () => {
    it.each([
      ["server busy", -32_000, "server is busy, try again"],
      ["internal error", -32_603, "Internal error"],
      ["rate limit", -32_005, "rate limit exceeded"],
      ["block unknown to a node behind the gateway", -32_000, "header not found"],
    ])("does not determine a standard, and the batch is retried (%s)", async (_, code, message) => {
      let outageEnd: number | undefined;
      let refused = 0;
      proxy.tamper = (method, response) => {
        // The outage starts with the index's first call.
        if (method === "eth_call") outageEnd ??= Date.now() + 3_000;
        if (method !== "eth_call" || Date.now() > (outageEnd ?? 0)) return;
        refused += 1;
        response.result = undefined;
        response.error = { code, message };
      };
      const other = await createTestDatabase();
      await index(other.database);
      proxy.tamper = null;
      expect(refused).toBeGreaterThan(0);
      expect(await standardsOf(other.database)).toEqual(await standardsOf());
      expect(await other.database.query("SELECT 1 FROM contract_standards WHERE read_at_block IS NULL")).toEqual([]);
      await other.drop();
    });

    it("does not block indexing if it fails only for calls to one contract", async () => {
      proxy.tamper = (method, response, params) => {
        if (method !== "eth_call" || (params[0] as { to: Address }).to !== addressOf("Greedy")) return;
        response.result = undefined;
        response.error = { code: -32_603, message: "Internal error" };
      };
      const other = await createTestDatabase();
      const running = await index(other.database);
      proxy.tamper = null;
      expect(await standardsOf(other.database)).toEqual(await standardsOf());
      expect(await other.database.query("SELECT address FROM contract_standards WHERE read_at_block IS NULL")).toEqual([
        { address: addressOf("Greedy") },
      ]);
      expect(running.warnings.filter((warning) => warning.includes("returned no result for eth_call to contract"))).toHaveLength(1);
      await other.drop();
    });

    it("is not retried if the error message reports missing state", async () => {
      proxy.tamper = (method, response) => {
        if (method !== "eth_call") return;
        response.result = undefined;
        response.error = { code: -32_603, message: "Internal error: missing trie node" };
      };
      const other = await createTestDatabase();
      await index(other.database);
      proxy.tamper = null;
      expect(await other.database.query("SELECT 1 FROM contract_standards WHERE read_at_block IS NOT NULL")).toEqual([]);
      await other.drop();
    });
  });
};
