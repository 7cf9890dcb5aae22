import type { z } from "zod";
import { type ChainConfig, chainConfigSchema } from "../runtime/config/config.ts";
import { liquidityFloor } from "./chapters/exchange-types.ts";
import type { StoryValues } from "./story/story-values.ts";

type Input = z.input<typeof chainConfigSchema>;

/** Returns the chain settings of the demo. Without a gateway, documents on IPFS are not fetched. */
export const demoChainConfig = (rpc: string, values: StoryValues, gateway?: string): ChainConfig => {
  const config: Input = {
    name: "demo",
    id: 31337,
    label: "Ashlar Demo",
    isTestnet: true,
    rpc,
    nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 },
    wrappedNative: values.wrappedNative === undefined ? [] : [values.wrappedNative],
    nativeAccounting: "traces",
    exchanges: exchangesOf(values),
    prices: pricesOf(values),
    nfts: nftsOf(values, gateway),
    community: communityOf(values),
    groups: ["historical"],
    pollMilliseconds: 1_000,
  };
  return chainConfigSchema.parse(config);
};

/** The story's exchanges: two Uniswap V2 exchanges with a fee of 0.3 percent, and one Uniswap V3 exchange. */
const exchangesOf = (values: StoryValues): NonNullable<Input["exchanges"]> => [
  ...exchangeOf({ name: "demo_exchange", label: "Demo Exchange", feePpm: 3_000 }, values.exchangeFactory, values.exchangeRouter),
  ...exchangeOf({ name: "demo_swap", label: "Demo Swap", feePpm: 3_000 }, values.rivalFactory, values.rivalRouter),
  ...exchangeOf({ name: "demo_range", label: "Demo Range", family: "concentrated" }, values.rangeFactory, values.rangeRouter),
];

const exchangeOf = (
  exchange: Omit<NonNullable<Input["exchanges"]>[number], "factory" | "routers">,
  factory: string | undefined,
  router: string | undefined,
): NonNullable<Input["exchanges"]> => (factory === undefined || router === undefined ? [] : [{ ...exchange, factory, routers: [router] }]);

/** The story's marketplaces, and the IPFS gateway that the demo runs itself. */
const nftsOf = ({ seaport, punks }: StoryValues, gateway: string | undefined): NonNullable<Input["nfts"]> => ({
  ipfsGateways: gateway === undefined ? [] : [gateway],
  arweaveGateways: [],
  marketplaces: [
    ...(seaport === undefined ? [] : [{ name: "Demo Seaport", protocol: "seaport" as const, address: seaport }]),
    ...(punks === undefined ? [] : [{ name: "Harbor Faces", protocol: "cryptopunks" as const, address: punks }]),
  ],
});

/** The contracts of declared protocols, by protocol and kind, without those that an older story lacks. */
const communityOf = (values: StoryValues): NonNullable<Input["community"]> => ({
  protocol_01: {
    pool: present(values.lendingPool, values.lendingPoolV2),
    configurator: present(values.lendingConfigurator),
    configurator_v2: present(values.lendingConfiguratorV2),
  },
  protocol_02: { vault: present(values.poolVault) },
  protocol_04: { comptroller: present(values.cTokenRegistry) },
  protocol_05: { registry: present(values.stableRegistry), pool: present(values.etherStablePool) },
  protocol_06: { vault: present(values.dollarVault, values.goldVault) },
  protocol_07: { factory: present(values.exchangeFactory) },
  protocol_08: { comptroller: present(values.vTokenRegistry) },
  protocol_09: { vault: present(values.sharePool) },
  protocol_10: { vault_v2: present(values.legacyVault), vault_v3: present(values.strategyVault) },
});

const present = (...addresses: readonly (string | undefined)[]): string[] => addresses.flatMap((address) => address ?? []);

/** The story's price feeds and its dollar stablecoins; see `liquidityFloor` for the depth of its pools. */
const pricesOf = ({ etherFeed, euroFeed, usdToken, tideToken, pierToken, quayToken }: StoryValues): NonNullable<Input["prices"]> => ({
  feeds: [
    ...(etherFeed === undefined ? [] : [{ of: "native" as const, in: "USD" as const, aggregators: [etherFeed] }]),
    ...(euroFeed === undefined ? [] : [{ of: "EUR" as const, in: "USD" as const, aggregators: [euroFeed] }]),
  ],
  stablecoins: present(usdToken, tideToken, pierToken, quayToken).map((token) => ({ token, currency: "USD" })),
  liquidityFloor,
});
