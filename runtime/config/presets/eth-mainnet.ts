import type { Preset } from "../preset.ts";

/** Ethereum. */
export const ethMainnet: Preset = {
  name: "eth-mainnet",
  id: 1,
  label: "Ethereum",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  // WETH9: the address that its own contract page and Uniswap's deployment list state.
  wrappedNative: ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
  explorers: [{ label: "Etherscan", url: "https://etherscan.io" }],
  nativeAccounting: "traces",
  // Two epochs of 32 slots.
  finality: 64,
  // ENS documentation, "Deployments": the registry, and the one of 2017 that it asks for what was never moved.
  nameRegistry: "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e",
  nameRegistryFallback: "0x314159265dd8dbb310642f98f50c066173c1259b",
  groups: ["historical"],
};
