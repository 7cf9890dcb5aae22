import { describe, expect, it } from "vitest";
import { protocols } from "../../../generated/community.gen.ts";
import type { Protocol } from "../../../runtime/declarations/protocol.ts";

const builtIn: readonly Protocol[] = protocols;

describe("the built-in protocols", () => {
  it("have consecutive ids and unique names", () => {
    expect(builtIn.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, index) => `protocol_${String(index + 1).padStart(2, "0")}`));
    expect(new Set(builtIn.map(({ name }) => name)).size).toBe(10);
  });

  it("have the vault's and its pools' events and functions in protocol 02", () => {
    const pools = builtIn.find(({ id }) => id === "protocol_02");
    const topics = pools?.tables.map(({ name, events }) => [name, events.map(({ topic0 }) => topic0.slice(0, 10))]);
    expect(topics).toEqual([
      ["pools", ["0x3c13bc30"]],
      ["token_lists", ["0xf5847d3f", "0x7dcdc6d0"]],
      ["balance_changes", ["0xe5ce2490"]],
      ["swaps", ["0x2170c741"]],
      ["managed_changes", ["0x6edcaf62"]],
    ]);
    expect(pools?.reads.map(({ name, function: { selector } }) => [name, selector])).toEqual([
      ["pool_tokens", "0xf94d4668"],
      ["share_supply", "0x18160ddd"],
      ["actual_supply", "0x876f303b"],
      ["share_rate", "0x679aefce"],
    ]);
  });

  it("have the ERC-4626 events and functions in protocol 06", () => {
    const vaults = builtIn.find(({ id }) => id === "protocol_06");
    const topics = vaults?.tables.map(({ name, events }) => [name, events.map(({ topic0 }) => topic0.slice(0, 10))]);
    expect(topics).toEqual([
      ["deposits", ["0xdcbc1c05"]],
      ["withdrawals", ["0xfbde797d"]],
      ["share_transfers", ["0xddf252ad"]],
    ]);
    expect(vaults?.reads.map(({ name, function: { selector } }) => [name, selector])).toEqual([
      ["asset", "0x38d52e0f"],
      ["total_assets", "0x01e1d114"],
      ["share_supply", "0x18160ddd"],
      ["share_price", "0x07a2d13a"],
    ]);
    // The topic of the factories' logs on Ethereum and Base.
    expect(vaults?.contracts.vault?.discoveredBy[0]?.event.topic0).toBe(
      "0xed8c95d05909b0f217f3e68171ef917df4b278d5addfe4dda888e90279be7d1d",
    );
  });

  it("have the cToken events and functions in protocols 04 and 08, which share their SQL", () => {
    const [compound, venus] = ["protocol_04", "protocol_08"].map((id) => builtIn.find((protocol) => protocol.id === id));
    const topicsOf = (protocol: Protocol | undefined, table: string) =>
      protocol?.tables.find(({ name }) => name === table)?.events.map(({ topic0 }) => topic0.slice(0, 10));
    for (const protocol of [compound, venus]) {
      expect(topicsOf(protocol, "accruals")).toEqual(["0x4dec04e7", "0x875352fb"]);
      expect(topicsOf(protocol, "debts")).toEqual(["0x13ed6866", "0x1a2a22cb"]);
      expect(topicsOf(protocol, "liquidations")).toEqual(["0x298637f6"]);
      expect(topicsOf(protocol, "transfers")).toEqual(["0xddf252ad"]);
      expect(Object.values(protocol?.operations ?? {}).map(({ file }) => file)).toEqual(
        ["market_data", "markets", "balances", "transactions"].map((name) => `../ctoken/${name}.sql`),
      );
    }
    expect(topicsOf(compound, "mints")).toEqual(["0x4c209b5f"]);
    expect(topicsOf(compound, "redemptions")).toEqual(["0xe5b754fb"]);
    expect(topicsOf(venus, "mints")?.slice(0, 2)).toEqual(["0xb4c03061", "0x4c209b5f"]);
    expect(topicsOf(venus, "redemptions")).toEqual(["0xbd5034ff", "0xe5b754fb"]);
  });
});
