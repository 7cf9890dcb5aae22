import type { EndpointDefinition } from "../catalog/definition.ts";
import type { Cost } from "./model.ts";

/** Converts a cost to whole hundredths, so that sums are exact; null if no cost is stated. */
export function costOf(cost: EndpointDefinition["cost"]): Cost | null {
  if (cost === "not-stated") return null;
  return { hundredths: Math.round(cost.credits * 100), per: cost.per };
}

const units: Record<Cost["per"], string> = { call: "call", item: "item", block: "block", "30-days": "30 days" };

/** Renders a cost as text: `0.02 per item`. */
export function renderCost(cost: Cost | null): string {
  if (cost === null) return "not stated";
  const amount = (cost.hundredths / 100).toFixed(2);
  return cost.per === "call" ? amount : `${amount} per ${units[cost.per]}`;
}
