import { opStack } from "../op-stack.ts";
import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** OP Mainnet. */
export const optimismMainnet: Preset = {
  ...opStack,
  name: "optimism-mainnet",
  id: 10,
  label: "OP Mainnet",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  explorers: [{ label: "Optimism Explorer", url: "https://optimistic.etherscan.io" }],
  // Uniswap's deployment list.
  exchanges: [{ name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984" }],
  // The US dollar stablecoins in Uniswap's default token list.
  prices: {
    stablecoins: [
      { token: "0x0b2c639c533813f4aa9d7837caf62653d097ff85" },
      { token: "0x7f5c764cbc14f9669b88837ca1490cca17c31607" },
      { token: "0x94b008aa00579c1307b0ef2c499ad98a8ce58e58" },
      { token: "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1" },
    ],
  },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
