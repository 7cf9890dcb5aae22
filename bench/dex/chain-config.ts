import { type ChainConfig, chainConfigSchema } from "../../runtime/config/config.ts";
import type { Market } from "./market.ts";

/** The id of the generated index's only chain. */
export const chainId = 1;

/** The chain of a market, as an operator would configure it. */
export const configOf = ({ exchanges, tokens, feeds }: Market): ChainConfig => {
  const [wrapped, dollars, euros] = tokens.map(({ address }) => address);
  if (wrapped === undefined || dollars === undefined || euros === undefined)
    throw new Error("Expected a market with at least three tokens");
  return chainConfigSchema.parse({
    name: "bench",
    id: chainId,
    rpc: "http://127.0.0.1:1",
    nativeAccounting: "none",
    groups: ["historical"],
    wrappedNative: [wrapped],
    exchanges: exchanges.map(({ name, family, factory, router }) => ({
      name,
      family,
      factory,
      routers: [router],
      ...(family === "xy=k" ? { feePpm: 3_000 } : {}),
    })),
    prices: {
      feeds: [
        { of: "native", in: "USD", aggregators: [feeds.native] },
        { of: "EUR", in: "USD", aggregators: [feeds.euro] },
      ],
      stablecoins: [
        { token: dollars, currency: "USD" },
        { token: euros, currency: "EUR" },
      ],
    },
  });
};
