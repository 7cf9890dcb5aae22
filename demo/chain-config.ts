import type { z } from "zod";
import { type ChainConfig, chainConfig } from "../runtime/config/config.ts";
import { liquidityFloor } from "./chapters/exchange-types.ts";
import type { Cast } from "./story/cast.ts";

type Input = z.input<typeof chainConfig>;

/** The demo chain as the rest of Ashlar sees it: a network like any other. Without a gateway's address, documents behind one are not fetched. */
export const demoChainConfig = (rpc: string, cast: Cast, gateway?: string): ChainConfig => {
  const config: Input = {
    name: "demo",
    id: 31337,
    label: "Ashlar Demo",
    isTestnet: true,
    rpc,
    nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
    wrappedNative: cast.wrappedNative === undefined ? [] : [cast.wrappedNative],
    nativeAccounting: "traces",
    exchanges: exchangesOf(cast),
    prices: pricesOf(cast),
    nfts: nftsOf(cast, gateway),
    groups: ["historical"],
    pollMilliseconds: 1_000,
  };
  return chainConfig.parse(config);
};

/** The exchanges of the story: two of Uniswap V2's contracts, whose fee is 0.3 percent, and one of Uniswap V3's. */
const exchangesOf = (cast: Cast): NonNullable<Input["exchanges"]> => [
  ...exchangeOf({ name: "demo_exchange", label: "Demo Exchange", feePpm: 3_000 }, cast.exchangeFactory, cast.exchangeRouter),
  ...exchangeOf({ name: "demo_swap", label: "Demo Swap", feePpm: 3_000 }, cast.rivalFactory, cast.rivalRouter),
  ...exchangeOf({ name: "demo_range", label: "Demo Range", family: "concentrated" }, cast.rangeFactory, cast.rangeRouter),
];

const exchangeOf = (
  terms: Omit<NonNullable<Input["exchanges"]>[number], "factory" | "routers">,
  factory: string | undefined,
  router: string | undefined,
): NonNullable<Input["exchanges"]> => (factory === undefined || router === undefined ? [] : [{ ...terms, factory, routers: [router] }]);

/** The story's marketplaces, and the gateway that the demo runs itself; it needs no other. */
const nftsOf = ({ seaport, punks }: Cast, gateway: string | undefined): NonNullable<Input["nfts"]> => ({
  ipfsGateways: gateway === undefined ? [] : [gateway],
  arweaveGateways: [],
  marketplaces: [
    ...(seaport === undefined ? [] : [{ name: "Demo Seaport", protocol: "seaport" as const, address: seaport }]),
    ...(punks === undefined ? [] : [{ name: "Harbor Faces", protocol: "cryptopunks" as const, address: punks }]),
  ],
});

/** The story's price feeds and its dollar; see `liquidityFloor` for what its pools hold. */
const pricesOf = ({ etherFeed, euroFeed, usdToken }: Cast): NonNullable<Input["prices"]> => ({
  feeds: [
    ...(etherFeed === undefined ? [] : [{ of: "native" as const, in: "USD" as const, aggregators: [etherFeed] }]),
    ...(euroFeed === undefined ? [] : [{ of: "EUR" as const, in: "USD" as const, aggregators: [euroFeed] }]),
  ],
  stablecoins: usdToken === undefined ? [] : [{ token: usdToken, currency: "USD" }],
  liquidityFloor,
});
