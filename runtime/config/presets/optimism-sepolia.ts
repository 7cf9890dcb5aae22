import { opStack } from "../op-stack.ts";
import type { Preset } from "../preset.ts";

/** OP Sepolia. */
export const optimismSepolia: Preset = {
  ...opStack,
  name: "optimism-sepolia",
  id: 11155420,
  label: "OP Sepolia",
  isTestnet: true,
  nativeToken: { name: "Sepolia Ether", symbol: "ETH", decimals: 18 },
  explorers: [{ label: "Blockscout", url: "https://optimism-sepolia.blockscout.com" }],
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached" },
};
