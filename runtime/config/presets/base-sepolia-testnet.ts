import { opStack } from "../op-stack.ts";
import type { Preset } from "../preset.ts";
import { recentSeaportMarketplaces } from "../seaport.ts";

/** Base Sepolia. */
export const baseSepoliaTestnet: Preset = {
  ...opStack,
  name: "base-sepolia-testnet",
  id: 84532,
  label: "Base Sepolia",
  isTestnet: true,
  nativeToken: { name: "Sepolia Ether", symbol: "ETH", decimals: 18 },
  explorers: [{ label: "Basescan", url: "https://sepolia.basescan.org" }],
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: recentSeaportMarketplaces },
};
