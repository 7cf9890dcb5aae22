import type { BitcoinPreset } from "../preset.ts";

/** Coins of a coinbase can be spent 100 blocks later (consensus rule): a deeper reorganisation would be a different chain. */
const coinbaseMaturity = 100;

/** Bitcoin's main network. */
export const btcMainnet: BitcoinPreset = {
  name: "btc-mainnet",
  kind: "bitcoin",
  network: "mainnet",
  label: "Bitcoin",
  finality: coinbaseMaturity,
};

/** Bitcoin's public testnet (BIP 94). */
export const btcTestnet4: BitcoinPreset = {
  name: "btc-testnet4",
  kind: "bitcoin",
  network: "testnet4",
  label: "Bitcoin Testnet4",
  isTestnet: true,
};

/** A local network, whose blocks are created on demand. */
export const btcRegtest: BitcoinPreset = {
  name: "btc-regtest",
  kind: "bitcoin",
  network: "regtest",
  label: "Bitcoin Regtest",
  isTestnet: true,
  pollMilliseconds: 1_000,
};
