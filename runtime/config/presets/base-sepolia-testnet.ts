import type { Preset } from "../preset.ts";

/** Base Sepolia. Fees of the layer below and minted deposits change balances too. */
export const baseSepoliaTestnet: Preset = {
  name: "base-sepolia-testnet",
  id: 84532,
  label: "Base Sepolia",
  isTestnet: true,
  nativeToken: { name: "Sepolia Ether", symbol: "ETH", decimals: 18 },
  // A predeploy of every chain of this rollup's kind (its specification, "Predeploys").
  wrappedNative: ["0x4200000000000000000000000000000000000006"],
  explorers: [{ label: "Basescan", url: "https://sepolia.basescan.org" }],
  nativeAccounting: "state",
  // Final with the block of the layer below that holds its data: within an hour at two seconds a block.
  finality: 1800,
};
