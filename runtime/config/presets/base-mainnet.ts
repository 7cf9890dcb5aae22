import type { Preset } from "../preset.ts";

/** Base. Fees of the layer below and minted deposits change balances too. */
export const baseMainnet: Preset = {
  name: "base-mainnet",
  id: 8453,
  label: "Base",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  // A predeploy of every chain of this rollup's kind (its specification, "Predeploys").
  wrappedNative: ["0x4200000000000000000000000000000000000006"],
  explorers: [{ label: "Basescan", url: "https://basescan.org" }],
  nativeAccounting: "state",
  // The vaults of tips, base fees, fees of the layer below and operator fees: predeploys of every chain of this rollup's kind (its specification, "Predeploys").
  systemAccounts: [
    "0x4200000000000000000000000000000000000011",
    "0x4200000000000000000000000000000000000019",
    "0x420000000000000000000000000000000000001a",
    "0x420000000000000000000000000000000000001b",
  ],
  // Final with the block of the layer below that holds its data: within an hour at two seconds a block.
  finality: 1800,
  // The registry of Basenames, as the list of contracts in its source repository states it.
  nameRegistry: "0xb94704422c2a1e396835a571837aa5ae53285a95",
  // Uniswap's deployment list.
  exchanges: [
    {
      name: "uniswap_v2",
      label: "Uniswap V2",
      factory: "0x8909dc15e40173ff4699343b6eb8132c65e18ec6",
      routers: ["0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24"],
      feePpm: 3_000,
    },
    { name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x33128a8fc17869897dce68ed026d694621f6fdfd" },
  ],
};
