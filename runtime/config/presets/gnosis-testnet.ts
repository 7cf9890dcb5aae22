import type { Preset } from "../preset.ts";

/** Gnosis' testnet, Chiado. */
export const gnosisTestnet: Preset = {
  name: "gnosis-testnet",
  id: 10200,
  label: "Gnosis Chiado",
  isTestnet: true,
  nativeToken: { name: "Gnosis", symbol: "xDAI", decimals: 18 },
  // WXDAI, per Gnosis' savings contract documentation and Chainlink's list of fee tokens.
  wrappedNative: ["0x18c8a7ec7897177e4529065a7e7b0878358b3bff"],
  explorers: [{ label: "Blockscout", url: "https://blockscout.chiadochain.net" }],
  nativeAccounting: "state",
  // Two epochs of 16 slots.
  finality: 32,
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached" },
};
