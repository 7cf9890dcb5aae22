import type { Preset } from "../preset.ts";
import { seaport } from "../seaport.ts";

/** Ethereum's test network for applications. */
export const ethSepolia: Preset = {
  name: "eth-sepolia",
  id: 11155111,
  label: "Ethereum Sepolia",
  isTestnet: true,
  nativeToken: { name: "Sepolia Ether", symbol: "ETH", decimals: 18 },
  // Two WETH9 are in use: Uniswap's deployment list states the first, Arbitrum's bridge the second.
  wrappedNative: ["0xfff9976782d46cc05630d1f6ebab18b2324d6b14", "0x7b79995e5f793a07bc00c21412e50ecae098e7f9"],
  explorers: [{ label: "Etherscan", url: "https://sepolia.etherscan.io" }],
  nativeAccounting: "traces",
  // Two epochs of 32 slots.
  finality: 64,
  // ENS documentation, "Deployments".
  nameRegistry: "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e",
  // Millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaport },
};
