import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** BNB Smart Chain's testnet. */
export const bscTestnet: Preset = {
  name: "bsc-testnet",
  id: 97,
  label: "BNB Smart Chain Testnet",
  isTestnet: true,
  nativeToken: { name: "BNB", symbol: "tBNB", decimals: 18 },
  // WBNB, per PancakeSwap's deployment list.
  wrappedNative: ["0xae13d989dac2f0debff460ac112a837c89baa7cd"],
  explorers: [{ label: "BscScan", url: "https://testnet.bscscan.com" }],
  nativeAccounting: "state",
  // Same as mainnet.
  finality: 15,
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
