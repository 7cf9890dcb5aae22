import type { RowCase } from "./row-case.ts";

/** How a figure compares with its target. A rate below its target misses it clearly below a further bound. */
export type Mark = "met" | "below target" | "MISSED";

const rateTargets: Readonly<Record<RowCase["kind"], { readonly target: number; readonly missedBelow: number }>> = {
  list: { target: 0.7, missedBelow: 0.5 },
  balances: { target: 0.6, missedBelow: 0.45 },
  other: { target: 0.4, missedBelow: 0.4 },
};
/** The product's median latency at one connection, and CPU time per request, by those of the bare server. */
export const maxRatios = { latency: 1.5, cpu: 1.6 } as const;

/** The target of the product's rate by that of the bare server. */
export const rateTargetOf = (kind: RowCase["kind"]): number => rateTargets[kind].target;

/** The mark of a rate by that of the bare server. */
export function markOfRate(kind: RowCase["kind"], ratio: number): Mark {
  const { target, missedBelow } = rateTargets[kind];
  return ratio >= target ? "met" : ratio >= missedBelow ? "below target" : "MISSED";
}

/** The mark of a ratio that must not exceed its target; empty if it was not measured. */
export const markOfMax = (subject: keyof typeof maxRatios, ratio: number | null): Mark | "" =>
  ratio === null ? "" : ratio <= maxRatios[subject] ? "met" : "MISSED";
