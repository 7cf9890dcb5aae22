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
    exchanges: exchangesOf(cast),
    groups: ["historical"],
    pollMilliseconds: 1_000,
  };
  return chainConfig.parse(config);
};

/** The exchange of the story; the contracts are Uniswap V2's, whose fee is 0.3 percent. */
const exchangesOf = ({ exchangeFactory, exchangeRouter }: Cast): NonNullable<z.input<typeof chainConfig>["exchanges"]> =>
  exchangeFactory === undefined || exchangeRouter === undefined
    ? []
    : [{ name: "demo_exchange", label: "Demo Exchange", factory: exchangeFactory, routers: [exchangeRouter], feePpm: 3_000 }];
