import { type ChainConfig, chainConfigSchema } from "../../runtime/config/config.ts";
import { chainId } from "./fill-index.ts";
import type { NftMarket } from "./nft-market.ts";

/** The chain of a market, as an operator would configure it. */
export const configOf = ({ wrapped, market, feed }: NftMarket): ChainConfig =>
  chainConfigSchema.parse({
    name: "bench",
    id: chainId,
    rpc: "http://127.0.0.1:1",
    nativeAccounting: "none",
    groups: ["historical"],
    wrappedNative: [wrapped],
    prices: { feeds: [{ of: "native", in: "USD", aggregators: [feed] }] },
    nfts: { marketplaces: [{ name: "Bazaar", protocol: "seaport", address: market }] },
  });
