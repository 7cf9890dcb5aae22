import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** BNB Smart Chain. System transactions move value in ways that the Ethereum protocol does not define. */
export const bscMainnet: Preset = {
  name: "bsc-mainnet",
  id: 56,
  label: "BNB Smart Chain",
  nativeToken: { name: "BNB", symbol: "BNB", decimals: 18 },
  // WBNB, per PancakeSwap's deployment list.
  wrappedNative: ["0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c"],
  explorers: [{ label: "BscScan", url: "https://bscscan.com" }],
  nativeAccounting: "state",
  // Without fast finality, a block is final when two thirds of the validators have built on it.
  finality: 15,
  groups: ["historical"],
  // PancakeSwap's deployment list.
  exchanges: [
    {
      name: "pancakeswap_v2",
      label: "PancakeSwap V2",
      factory: "0xca143ce32fe78f1f7019d7d551a6402fc5350c73",
      routers: ["0x10ed43c718714eb63d5aa57b78b54704e256024e"],
      feePpm: 2_500,
    },
  ],
  // The US dollar stablecoins in Uniswap's default token list.
  prices: {
    stablecoins: [
      { token: "0x55d398326f99059ff775485246999027b3197955" },
      { token: "0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d" },
      { token: "0x1af3f329e8be154074d8769d1ffa4ee058b1dbc3" },
    ],
  },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
