import type { Chain } from "../../../generated/requests.gen.ts";
import type { Coverage } from "../../domains/tokens/queries/daily-balances.ts";
import type { Spans } from "../../domains/tokens/queries/portfolio.ts";
import { secondsPerDay } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";

/** UTC days as block spans. */
export interface DaySpans extends Spans {
  /** The start of the first day (unix seconds). */
  readonly firstDayStart: number;
  readonly firstBlock: number;
  readonly coverage: readonly Coverage[];
}

/** The last `days` UTC days up to the day of the anchor, as block spans. */
export async function spansOfDays(context: ResolverContext, chain: Chain, days: number, indexedFrom: number | null): Promise<DaySpans> {
  const head = context.anchor === null ? null : await context.ledger.blockByNumber(chain.id, context.anchor);
  const lastSecond = head?.timestamp ?? context.contentTime().getTime() / 1000;
  const firstDayStart = (Math.floor(lastSecond / secondsPerDay) - days + 1) * secondsPerDay;
  const bounds = Array.from({ length: days + 1 }, (_, position) => firstDayStart + position * secondsPerDay);
  const heights = await context.tokens.heightsBefore(chain.id, bounds);
  const anchor = context.anchor ?? -1;
  const beforeFirst = (indexedFrom ?? 0) - 1;
  const lastBlocks = heights.map((height) => Math.min(height ?? beforeFirst, anchor));
  return {
    firstDayStart,
    starts: lastBlocks.slice(0, days).map((height) => height + 1),
    ends: lastBlocks.slice(1),
    firstBlock: (lastBlocks[0] ?? beforeFirst) + 1,
    // If no indexed block precedes a day, the index starts during or after it.
    coverage: bounds.slice(0, days).map((_, day) => {
      const isKnown = (position: number) => indexedFrom === null || typeof heights[position] === "number";
      return isKnown(day) ? "whole" : isKnown(day + 1) ? "end" : "none";
    }),
  };
}
