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
};
