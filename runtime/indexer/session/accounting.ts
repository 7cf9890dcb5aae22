import type { Capabilities } from "../../chain/capabilities.ts";
import type { NativeAccounting } from "../../chain/types.ts";

/**
 * How a new index keeps native balances, given what is configured and what its node offers. Traces are followed only where they are asked for and reach
 * back to the first block; otherwise the node's word on touched accounts is kept, which without an archive is there for recent blocks alone.
 */
export const accountingOf = (
  wanted: NativeAccounting,
  { traces, oldTraces }: Pick<Capabilities, "traces" | "oldTraces">,
): NativeAccounting => (wanted === "traces" && (traces === null || !oldTraces) ? "state" : wanted);

/** An accounting as people read it. */
export const accountingWords: Readonly<Record<NativeAccounting, string>> = {
  traces: "by what transactions and inner calls moved",
  state: "by the node's word on the accounts that each block touched",
  none: "not at all",
};
