import { describe, expect, it } from "vitest";
import type { Address } from "../../../runtime/lib/hex.ts";
import { callNode, nodeBatch, storyValue, timeOf } from "../../support/story-node.ts";
import { fetchData } from "./node-transactions.ts";

/** A past block whose state the demo chain keeps; a multiple of the interval at which vaults are read. */
const keptBlock = 1_000;
const yearSeconds = 365 * 86_400;

/** Selectors of convertToAssets(uint256) with 10^36 shares (ERC-4626), and of pricePerShare(). */
const convertToAssets = `0x07a2d13a${(10n ** 36n).toString(16).padStart(64, "0")}`;
const pricePerShare = "0x99530b06";

const vaults = [
  { protocol: "protocol_06", name: "dollarVault", data: convertToAssets },
  { protocol: "protocol_06", name: "goldVault", data: convertToAssets },
  { protocol: "protocol_09", name: "sharePool", data: pricePerShare },
  { protocol: "protocol_10", name: "legacyVault", data: pricePerShare },
  { protocol: "protocol_10", name: "strategyVault", data: convertToAssets },
];

describe("the supply rate of the story's vaults", () => {
  it.each(vaults)("equals the growth of the share price that $name returns in $protocol", async ({ protocol, name, data }) => {
    const vault = storyValue(name) as Address;
    const head = Number(await callNode<string>("eth_blockNumber"));
    const call = { to: vault, data };
    const prices = await nodeBatch<string>("eth_call", [
      [call, `0x${keptBlock.toString(16)}`],
      [call, "latest"],
    ]);
    const [before, after] = prices.map(Number) as [number, number];
    const elapsed = (await timeOf(head)) - (await timeOf(keptBlock));
    const path = `/v1/cq/provider/app/${protocol}/market_data/?chain-name=demo&pool-address=${vault}`;
    const { data: response } = await fetchData<{ items: { supply_rate: number }[] }>(path);
    const expected = ((after / before - 1) * yearSeconds) / elapsed;
    expect(expected).toBeGreaterThan(0);
    expect(response.items).toHaveLength(1);
    expect(response.items[0]?.supply_rate).toBeCloseTo(expected, 9);
  });
});
