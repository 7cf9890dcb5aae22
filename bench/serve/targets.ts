import type { RowCase } from "./row-case.ts";

/** How a figure compares with its target. A rate that misses its target is `below target` down to a second bound, and `MISSED` below that. */
export type Mark = "met" | "below target" | "MISSED";

const rateTargets: Readonly<Record<RowCase["kind"], { readonly target: number; readonly missedBelow: number }>> = {
  list: { target: 0.7, missedBelow: 0.5 },
  balances: { target: 0.6, missedBelow: 0.45 },
  other: { target: 0.4, missedBelow: 0.4 },
};
/** Max ratios to the bare server, for the median latency at one connection and the CPU time per request. */
export const maxRatios = { latency: 1.5, cpu: 1.6 } as const;

/** The target for the ratio of the product's rate to the bare server's. */
export const rateTargetOf = (kind: RowCase["kind"]): number => rateTargets[kind].target;

/** Marks the ratio of the product's rate to the bare server's. */
export function markOfRate(kind: RowCase["kind"], ratio: number): Mark {
  const { target, missedBelow } = rateTargets[kind];
  return ratio >= target ? "met" : ratio >= missedBelow ? "below target" : "MISSED";
}

/** Marks a ratio that must not exceed its target; empty if it was not measured. */
export const markOfMax = (subject: keyof typeof maxRatios, ratio: number | null): Mark | "" =>
  ratio === null ? "" : ratio <= maxRatios[subject] ? "met" : "MISSED";
