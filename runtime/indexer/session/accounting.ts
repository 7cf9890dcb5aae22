import type { Capabilities } from "../../chain/capabilities.ts";
import type { NativeAccounting } from "../../chain/types.ts";

/**
 * The native accounting of a new index, given the configured one and what its node offers: by traces only where they are configured and reach back to the
 * first block, else by the state of touched accounts, which a node without archive state has for recent blocks only.
 */
export const chooseAccounting = (
  configured: NativeAccounting,
  { traces, oldTraces }: Pick<Capabilities, "traces" | "oldTraces">,
): NativeAccounting => (configured === "traces" && (traces === null || !oldTraces) ? "state" : configured);

/** Native accounting in messages, after "native balances". */
export const accountingDescriptions: Readonly<Record<NativeAccounting, string>> = {
  traces: "by the values of transactions and inner calls",
  state: "by the node's state of the accounts that each block touches",
  none: "not at all",
};
