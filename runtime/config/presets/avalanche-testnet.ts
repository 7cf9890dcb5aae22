import type { Preset } from "../preset.ts";
import { seaport } from "../seaport.ts";

/** Avalanche's test network, Fuji. */
export const avalancheTestnet: Preset = {
  name: "avalanche-testnet",
  id: 43113,
  label: "Avalanche Fuji",
  isTestnet: true,
  nativeToken: { name: "Avalanche Fuji", symbol: "AVAX", decimals: 18 },
  // WAVAX, as Avalanche's documentation and Chainlink's list of fee tokens state it.
  wrappedNative: ["0xd00ae08403b9bbb9124bb305c09058e32c39a48c"],
  explorers: [{ label: "SnowTrace", url: "https://testnet.snowtrace.io" }],
  nativeAccounting: "state",
  // An accepted block is final.
  finality: 1,
  // Millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaport },
};
