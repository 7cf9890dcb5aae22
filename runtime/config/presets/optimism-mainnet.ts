import { opStack } from "../op-stack.ts";
import type { Preset } from "../preset.ts";

/** OP Mainnet. */
export const optimismMainnet: Preset = {
  ...opStack,
  name: "optimism-mainnet",
  id: 10,
  label: "OP Mainnet",
  nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
  explorers: [{ label: "Optimism Explorer", url: "https://optimistic.etherscan.io" }],
  // Uniswap's deployment list.
  exchanges: [{ name: "uniswap_v3", label: "Uniswap V3", family: "concentrated", factory: "0x1f98431c8ad98523631ae4a59f267346ea31f984" }],
};
