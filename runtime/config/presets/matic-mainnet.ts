import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** Polygon PoS. State syncs mint value without an EVM transaction. */
export const maticMainnet: Preset = {
  name: "matic-mainnet",
  id: 137,
  label: "Polygon",
  nativeToken: { name: "POL", symbol: "POL", decimals: 18 },
  // WPOL (formerly WMATIC), per Polygon's documentation and Uniswap's deployment list.
  wrappedNative: ["0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270"],
  explorers: [{ label: "PolygonScan", url: "https://polygonscan.com" }],
  nativeAccounting: "state",
  // A checkpoint on Ethereum covers 256 blocks or more.
  finality: 256,
  groups: ["historical"],
  // QuickSwap's and Uniswap's deployment lists.
  exchanges: [
    {
      name: "quickswap",
      label: "QuickSwap",
      factory: "0x5757371414417b8c6caad45baef941abc7d3ab32",
      routers: ["0xa5e0829caced8ffdd4de3c43696c57f7d7a678ff"],
      feePpm: 3_000,
    },
    { name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984" },
  ],
  // The US dollar stablecoins in Uniswap's default token list.
  prices: {
    stablecoins: [
      { token: "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359" },
      { token: "0x2791bca1f2de4661ed88a30c99a7a9449aa84174" },
      { token: "0xc2132d05d31c914a87c6611c10748aeb04b58e8f" },
      { token: "0x8f3cf7ad23cd3cadbd9735aff958023239c6a063" },
    ],
  },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
