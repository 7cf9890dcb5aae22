import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** Arbitrum One. Deposits and retried messages change balances without an EVM call. */
export const arbitrumMainnet: Preset = {
  name: "arbitrum-mainnet",
  id: 42161,
  label: "Arbitrum One",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  // WETH, per Arbitrum's documentation ("Contract addresses", token bridge).
  wrappedNative: ["0x82af49447d8a07e3bd95bd0d56f35241523fbab1"],
  explorers: [{ label: "Arbiscan", url: "https://arbiscan.io" }],
  nativeAccounting: "state",
  // A block is final when the parent chain block that contains its data is final: within an hour, at four blocks per second.
  finality: 14_400,
  // Uniswap's deployment list.
  exchanges: [{ name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984" }],
  // The US dollar stablecoins in Uniswap's default token list.
  prices: {
    stablecoins: [
      { token: "0xaf88d065e77c8cc2239327c5edb3a432268e5831" },
      { token: "0xff970a61a04b1ca14834a43f5de4533ebddb5cc8" },
      { token: "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9" },
      { token: "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1" },
    ],
  },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
