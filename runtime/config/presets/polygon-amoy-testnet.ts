import type { Preset } from "../preset.ts";

/** Polygon's testnet. Its predecessor (matic-mumbai) was shut down in 2024. */
export const polygonAmoyTestnet: Preset = {
  name: "polygon-amoy-testnet",
  id: 80002,
  label: "Polygon Amoy",
  isTestnet: true,
  nativeToken: { name: "POL", symbol: "POL", decimals: 18 },
  // WPOL, per Polygon's documentation.
  wrappedNative: ["0x360ad4f9a9a8efe9a8dcb5f461c4cc1047e1dcf9"],
  explorers: [{ label: "PolygonScan", url: "https://amoy.polygonscan.com" }],
  nativeAccounting: "state",
  // Same as mainnet.
  finality: 256,
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached" },
};
