import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** Ethereum. */
export const ethMainnet: Preset = {
  name: "eth-mainnet",
  id: 1,
  label: "Ethereum",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  // WETH9, per weth.io and Uniswap's deployment list.
  wrappedNative: ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
  explorers: [{ label: "Etherscan", url: "https://etherscan.io" }],
  nativeAccounting: "traces",
  // Two epochs of 32 slots.
  finality: 64,
  // ENS documentation, "Deployments": the registry, and the registry of 2017, to which it falls back for names that were never migrated.
  nameRegistry: "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e",
  nameRegistryFallback: "0x314159265dd8dbb310642f98f50c066173c1259b",
  groups: ["historical"],
  // Uniswap's and SushiSwap's deployment lists.
  exchanges: [
    {
      name: "uniswap_v2",
      label: "Uniswap V2",
      factory: "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f",
      routers: ["0x7a250d5630b4cf539739df2c5dacb4c659f2488d"],
      feePpm: 3_000,
    },
    {
      name: "sushiswap",
      label: "SushiSwap",
      factory: "0xc0aee478e3658e2610c5f7a4a2e1777ce9e4f2ac",
      routers: ["0xd9e1ce17f2641f24ae83637ab66a2cca9c378b9f"],
      feePpm: 3_000,
    },
    { name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984" },
  ],
  // The US dollar stablecoins in Uniswap's default token list.
  prices: {
    stablecoins: [
      { token: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" },
      { token: "0xdac17f958d2ee523a2206206994597c13d831ec7" },
      { token: "0x6b175474e89094c44da98b954eedeac495271d0f" },
    ],
  },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: {
    metadata: "uncached",
    marketplaces: [
      ...seaportMarketplaces,
      // Per the project's website and source repository.
      { name: "CryptoPunks", protocol: "cryptopunks", address: "0xb47e3cd837ddf8e4c57f05d70ab865de6e193bbb" },
    ],
  },
};
