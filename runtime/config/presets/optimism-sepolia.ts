import type { Preset } from "../preset.ts";

/** OP Sepolia. Fees of the layer below and minted deposits change balances too. */
export const optimismSepolia: Preset = {
  name: "optimism-sepolia",
  id: 11155420,
  label: "OP Sepolia",
  isTestnet: true,
  nativeToken: { name: "Sepolia Ether", symbol: "ETH", decimals: 18 },
  // A predeploy of every chain of this rollup's kind (its specification, "Predeploys").
  wrappedNative: ["0x4200000000000000000000000000000000000006"],
  explorers: [{ label: "Blockscout", url: "https://optimism-sepolia.blockscout.com" }],
  nativeAccounting: "state",
  // Final with the block of the layer below that holds its data: within an hour at two seconds a block.
  finality: 1800,
};
