import type { z } from "zod";
import { type ChainConfig, chainConfig } from "../config/config.ts";
import type { Cast } from "./story/cast.ts";

/** The demo chain as the rest of Ashlar sees it: a network like any other. */
export const demoChainConfig = (rpc: string, cast: Cast): ChainConfig => {
  const config: z.input<typeof chainConfig> = {
    name: "demo",
    id: 31337,
    label: "Ashlar Demo",
    isTestnet: true,
    rpc,
    nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
    wrappedNative: cast.wrappedNative === undefined ? [] : [cast.wrappedNative],
    nativeAccounting: "traces",
    groups: ["historical"],
    pollMilliseconds: 1_000,
  };
  return chainConfig.parse(config);
};
