import type { Capabilities } from "../../chain/capabilities.ts";
import type { NativeAccounting } from "../../chain/types.ts";

/**
 * Chooses how a new index derives native balances: from traces only if they are configured and the node has them from the first block on, otherwise
 * from the state of touched accounts, which a node without archive state only has for recent blocks.
 */
export const chooseAccounting = (
  configured: NativeAccounting,
  { traceKind, hasOldTraces }: Pick<Capabilities, "traceKind" | "hasOldTraces">,
): NativeAccounting => (configured === "traces" && (traceKind === null || !hasOldTraces) ? "state" : configured);

/** Describes each native accounting in messages, after "native balances". */
export const accountingDescriptions: Readonly<Record<NativeAccounting, string>> = {
  traces: "derived from the values of transactions and internal calls",
  state: "read from the node's state of the accounts that each block touches",
  none: "not indexed",
};
