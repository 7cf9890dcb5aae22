import type { Preset } from "../preset.ts";
import { seaportMarketplaces } from "../seaport.ts";

/** Gnosis Chain. The bridge mints value at the end of a block, and withdrawals are paid in a token. */
export const gnosisMainnet: Preset = {
  name: "gnosis-mainnet",
  id: 100,
  label: "Gnosis",
  nativeToken: { name: "xDAI", symbol: "XDAI", decimals: 18 },
  // WXDAI, per Gnosis' documentation.
  wrappedNative: ["0xe91d153e0b41518a2ce8dd3d7944fa863463a97d"],
  explorers: [{ label: "Gnosisscan", url: "https://gnosisscan.io" }],
  nativeAccounting: "state",
  // Two epochs of 16 slots.
  finality: 32,
  // Honeyswap's deployment list.
  exchanges: [
    {
      name: "honeyswap",
      label: "Honeyswap",
      factory: "0xa818b4f111ccac7aa31d0bcc0806d64f2e0737d7",
      routers: ["0x1c232f01118cb8b424793ae03f870aa7d0ac7f77"],
      feePpm: 3_000,
    },
  ],
  // The native token, and therefore the wrapped one, is pegged to the US dollar (Gnosis' documentation, "xDAI").
  prices: { stablecoins: [{ token: "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d" }] },
  // The chain has millions of tokens: their metadata is stored only if an operator configures it.
  nfts: { metadata: "uncached", marketplaces: seaportMarketplaces },
};
