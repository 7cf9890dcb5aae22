import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** Ethereum's testnet for application development. */
export const ethSepolia: Preset = {
  name: "eth-sepolia",
  id: 11155111,
  label: "Ethereum Sepolia",
  isTestnet: true,
  nativeToken: { name: "Sepolia Ether", symbol: "ETH", decimals: 18 },
  // Two WETH9 contracts are in use: the first one is in Uniswap's deployment list, the second one is used by Arbitrum's bridge.
  wrappedNative: ["0xfff9976782d46cc05630d1f6ebab18b2324d6b14", "0x7b79995e5f793a07bc00c21412e50ecae098e7f9"],
  explorers: [{ label: "Etherscan", url: "https://sepolia.etherscan.io" }],
  nativeAccounting: "traces",
  // Two epochs of 32 slots.
  finality: 64,
  // ENS documentation, "Deployments".
  nameRegistry: "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e",
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
