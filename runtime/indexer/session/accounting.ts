import type { Capabilities } from "../../chain/capabilities.ts";
import type { NativeAccounting } from "../../chain/types.ts";

/**
 * The native accounting of a new index, given the configured one and the node's capabilities: traces only if they are configured and reach back to the first
 * block, otherwise the state of touched accounts, which a node without archive state only has for recent blocks.
 */
export const chooseAccounting = (
  configured: NativeAccounting,
  { traces, oldTraces }: Pick<Capabilities, "traces" | "oldTraces">,
): NativeAccounting => (configured === "traces" && (traces === null || !oldTraces) ? "state" : configured);

/** Describes a native accounting in messages, after "native balances". */
export const accountingDescriptions: Readonly<Record<NativeAccounting, string>> = {
  traces: "derived from the values of transactions and internal calls",
  state: "read from the node's state of the accounts that each block touches",
  none: "not indexed",
};
