import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** Avalanche C-Chain. Atomic imports and exports change balances without an EVM transaction. */
export const avalancheMainnet: Preset = {
  name: "avalanche-mainnet",
  id: 43114,
  label: "Avalanche C-Chain",
  nativeToken: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
  // WAVAX, per Avalanche's documentation and Uniswap's deployment list.
  wrappedNative: ["0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7"],
  explorers: [{ label: "SnowTrace", url: "https://snowtrace.io" }],
  nativeAccounting: "state",
  // A block is final as soon as it is accepted.
  finality: 1,
  // Trader Joe's deployment list.
  exchanges: [
    {
      name: "traderjoe",
      label: "Trader Joe",
      factory: "0x9ad6c38be94206ca50bb0d90783181662f0cfa10",
      routers: ["0x60ae616a2155ee3d9a68541ba4544862310933d4"],
      feePpm: 3_000,
    },
  ],
  // The US dollar stablecoins in Uniswap's default token list.
  prices: {
    stablecoins: [{ token: "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e" }, { token: "0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7" }],
  },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
