import { opStack } from "../op-stack.ts";
import type { Preset } from "../preset.ts";
import { recentSeaportMarketplaces } from "../seaport.ts";

/** Base. */
export const baseMainnet: Preset = {
  ...opStack,
  name: "base-mainnet",
  id: 8453,
  label: "Base",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  explorers: [{ label: "Basescan", url: "https://basescan.org" }],
  // The Basenames registry, per the contract list in its source repository.
  nameRegistry: "0xb94704422c2a1e396835a571837aa5ae53285a95",
  // Uniswap's deployment list.
  exchanges: [
    {
      name: "uniswap_v2",
      label: "Uniswap V2",
      factory: "0x8909dc15e40173ff4699343b6eb8132c65e18ec6",
      routers: ["0x4752ba5dbc23f44d87826276bf6fd6b1c372ad24"],
      feePpm: 3_000,
    },
    { name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x33128a8fc17869897dce68ed026d694621f6fdfd" },
  ],
  // The US dollar stablecoins in Uniswap's default token list.
  prices: {
    stablecoins: [
      { token: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913" },
      { token: "0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca" },
      { token: "0x50c5725949a6f0c72e6c4a641f24049a917db0cb" },
    ],
  },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: recentSeaportMarketplaces },
};
