import type { Preset } from "./preset.ts";

/** What all rollups of the OP Stack share. Fees of the layer below and minted deposits change balances too. */
export const opStack = {
  // A predeploy of every chain of this rollup's kind (its specification, "Predeploys").
  wrappedNative: ["0x4200000000000000000000000000000000000006"],
  nativeAccounting: "state",
  // The vaults of tips, base fees, fees of the layer below and operator fees: predeploys of every chain of this rollup's kind (its specification, "Predeploys").
  systemAccounts: [
    "0x4200000000000000000000000000000000000011",
    "0x4200000000000000000000000000000000000019",
    "0x420000000000000000000000000000000000001a",
    "0x420000000000000000000000000000000000001b",
  ],
  // Final with the block of the layer below that holds its data: within an hour at two seconds a block.
  finality: 1800,
} satisfies Partial<Preset>;
