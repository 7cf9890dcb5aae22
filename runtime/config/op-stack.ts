import type { Preset } from "./preset.ts";

/** Settings common to OP Stack rollups. Layer 1 fees and minted deposits also change balances, so traces are not exact. */
export const opStack = {
  // A predeploy on every OP Stack chain (OP Stack specification, "Predeploys").
  wrappedNative: ["0x4200000000000000000000000000000000000006"],
  nativeAccounting: "state",
  // The vaults for tips, base fees, layer 1 fees and operator fees: predeploys on every OP Stack chain (OP Stack specification, "Predeploys").
  systemAccounts: [
    "0x4200000000000000000000000000000000000011",
    "0x4200000000000000000000000000000000000019",
    "0x420000000000000000000000000000000000001a",
    "0x420000000000000000000000000000000000001b",
  ],
  // A block is final when the layer 1 block that contains its data is final: within an hour, at two seconds per block.
  finality: 1800,
} satisfies Partial<Preset>;
