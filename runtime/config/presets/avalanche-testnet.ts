import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** Avalanche's testnet, Fuji. */
export const avalancheTestnet: Preset = {
  name: "avalanche-testnet",
  id: 43113,
  label: "Avalanche Fuji",
  isTestnet: true,
  nativeToken: { name: "Avalanche Fuji", symbol: "AVAX", decimals: 18 },
  // WAVAX, per Avalanche's documentation and Chainlink's list of fee tokens.
  wrappedNative: ["0xd00ae08403b9bbb9124bb305c09058e32c39a48c"],
  explorers: [{ label: "SnowTrace", url: "https://testnet.snowtrace.io" }],
  nativeAccounting: "state",
  // A block is final as soon as it is accepted.
  finality: 1,
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
