import type { Preset } from "../preset.ts";

/** OP Mainnet. Fees of the layer below and minted deposits change balances too. */
export const optimismMainnet: Preset = {
  name: "optimism-mainnet",
  id: 10,
  label: "OP Mainnet",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  // A predeploy of every chain of this rollup's kind (its specification, "Predeploys").
  wrappedNative: ["0x4200000000000000000000000000000000000006"],
  explorers: [{ label: "Optimism Explorer", url: "https://optimistic.etherscan.io" }],
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
  // Uniswap's deployment list.
  exchanges: [{ name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984" }],
};
