import type { Preset } from "./preset.ts";

type Marketplaces = NonNullable<NonNullable<Preset["nfts"]>["marketplaces"]>;

const named = (name: string, address: string) => ({ name, protocol: "seaport" as const, address });

/** The versions that Base was there for, and the newest. OpenSea's changelog ("Seaport 1.5 Release") and Seaport's own "Deployment". */
export const lateSeaport: Marketplaces = [
  named("Seaport 1.5", "0x00000000000000adc04c56bf30ac9d3c0aaf14dc"),
  named("Seaport 1.6", "0x0000000000000068f116a894984e2db1123eb395"),
];

/** All versions in use, at the addresses that are the same on every chain that they are deployed on (Seaport's README, "Deployments"; its networks are those whose presets have them). */
export const seaport: Marketplaces = [
  named("Seaport 1.1", "0x00000000006c3852cbef3e08e8df289169ede581"),
  named("Seaport 1.4", "0x00000000000001ad428e4906ae43d8f9852d0dd6"),
  ...lateSeaport,
];
