import type { Preset } from "./preset.ts";

type Marketplaces = NonNullable<NonNullable<Preset["nfts"]>["marketplaces"]>;

const marketplace = (name: string, address: string) => ({ name, protocol: "seaport" as const, address });

/** The versions that have been deployed since the launch of Base (OpenSea's changelog, "Seaport 1.5 Release", and Seaport's README, "Deployments"). */
export const recentSeaportMarketplaces: Marketplaces = [
  marketplace("Seaport 1.5", "0x00000000000000adc04c56bf30ac9d3c0aaf14dc"),
  marketplace("Seaport 1.6", "0x0000000000000068f116a894984e2db1123eb395"),
];

/** All versions in use. Their addresses are the same on all chains that Seaport's README lists under "Deployments". */
export const seaportMarketplaces: Marketplaces = [
  marketplace("Seaport 1.1", "0x00000000006c3852cbef3e08e8df289169ede581"),
  marketplace("Seaport 1.4", "0x00000000000001ad428e4906ae43d8f9852d0dd6"),
  ...recentSeaportMarketplaces,
];
