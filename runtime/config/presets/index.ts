import type { BitcoinPreset, Preset } from "../preset.ts";
import { arbitrumMainnet } from "./arbitrum-mainnet.ts";
import { arbitrumSepolia } from "./arbitrum-sepolia.ts";
import { avalancheMainnet } from "./avalanche-mainnet.ts";
import { avalancheTestnet } from "./avalanche-testnet.ts";
import { baseMainnet } from "./base-mainnet.ts";
import { baseSepoliaTestnet } from "./base-sepolia-testnet.ts";
import { btcMainnet, btcRegtest, btcTestnet4 } from "./bitcoin.ts";
import { bscMainnet } from "./bsc-mainnet.ts";
import { bscTestnet } from "./bsc-testnet.ts";
import { ethMainnet } from "./eth-mainnet.ts";
import { ethSepolia } from "./eth-sepolia.ts";
import { gnosisMainnet } from "./gnosis-mainnet.ts";
import { gnosisTestnet } from "./gnosis-testnet.ts";
import { maticMainnet } from "./matic-mainnet.ts";
import { optimismMainnet } from "./optimism-mainnet.ts";
import { optimismSepolia } from "./optimism-sepolia.ts";
import { polygonAmoyTestnet } from "./polygon-amoy-testnet.ts";

/** The well-known networks, mainnets first. Ids, currencies and explorers are taken from `viem/chains`. */
export const presets: readonly Preset[] = [
  ethMainnet,
  bscMainnet,
  maticMainnet,
  baseMainnet,
  arbitrumMainnet,
  optimismMainnet,
  avalancheMainnet,
  gnosisMainnet,
  ethSepolia,
  bscTestnet,
  polygonAmoyTestnet,
  baseSepoliaTestnet,
  arbitrumSepolia,
  optimismSepolia,
  avalancheTestnet,
  gnosisTestnet,
];

/** The well-known Bitcoin networks. */
const bitcoinPresets: readonly BitcoinPreset[] = [btcMainnet, btcTestnet4, btcRegtest];

/**
 * A configured chain with the defaults of its preset. The sections prices and nfts are merged setting by setting, so that adding a feed does not drop
 * the stablecoins, and configuring a gateway does not enable the storage of all metadata. A chain with the name of a preset but a different id gets
 * no defaults. A chain without a preset is the operator's own network, which belongs to all network groups. A Bitcoin chain keeps the defaults of its
 * preset even with a different id, because Bitcoin has no chain ids.
 */
export const withPreset = (chain: {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly id?: unknown;
  readonly prices?: unknown;
  readonly nfts?: unknown;
}): Record<string, unknown> => {
  const bitcoin = bitcoinPresets.find(({ name }) => name === chain.name);
  if (bitcoin !== undefined || chain.kind === "bitcoin") return { ...bitcoin, ...chain };
  const preset = presets.find(({ name }) => name === chain.name);
  if (preset === undefined || (chain.id !== undefined && chain.id !== preset.id)) return { groups: ["historical"], ...chain };
  return { ...preset, ...chain, ...merged("prices", preset.prices, chain.prices), ...merged("nfts", preset.nfts, chain.nfts) };
};

/** A section's merged settings; empty unless both the preset and the configuration have it. */
const merged = (name: string, defaults: object | undefined, configured: unknown): Record<string, unknown> =>
  defaults !== undefined && typeof configured === "object" && !Array.isArray(configured) ? { [name]: { ...defaults, ...configured } } : {};
