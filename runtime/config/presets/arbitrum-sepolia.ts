import type { Preset } from "../preset.ts";

/** Arbitrum Sepolia. Deposits and retried messages change balances without an EVM call. */
export const arbitrumSepolia: Preset = {
  name: "arbitrum-sepolia",
  id: 421614,
  label: "Arbitrum Sepolia",
  isTestnet: true,
  nativeToken: { name: "Arbitrum Sepolia Ether", symbol: "ETH", decimals: 18 },
  // WETH, per Arbitrum's documentation ("Contract addresses", token bridge).
  wrappedNative: ["0x980b62da83eff3d4576c647993b0c1d7faf17c73"],
  explorers: [{ label: "Arbiscan", url: "https://sepolia.arbiscan.io" }],
  nativeAccounting: "state",
  // A block is final when the parent chain block that contains its data is final: within an hour, at four blocks per second.
  finality: 14_400,
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached" },
};
