import type { Chain } from "../../../../generated/requests.gen.ts";
import { secondsOfDay, secondsOfHour, startOfDay } from "../../../lib/time.ts";
import { heightAt } from "../../at.ts";
import type { ResolverContext } from "../../context.ts";

/** Points of a series of a month: one more than it has days, so that its change can be computed; the week's are its last ones. */
export const pointsOfMonth = 31;
export const pointsOfWeek = 8;

/** A time up to which something is told, with the heights by which spans that end there began; null where there is no block before. */
export interface Moment {
  /** Unix seconds; what happened in it or later is not told. */
  readonly end: number;
  readonly at: number | null;
  readonly dayBefore: number | null;
  readonly weekBefore: number | null;
}

const momentAt = async (context: ResolverContext, chain: Chain, end: number): Promise<Moment> => {
  const heights = await context.tokens.heightsBefore(chain.id, [end, end - secondsOfDay, end - 7 * secondsOfDay]);
  const [at = null, dayBefore = null, weekBefore = null] = heights.map((height) => upTo(context, height));
  return { end, at, dayBefore, weekBefore };
};

const upTo = ({ anchor }: ResolverContext, height: number | null): number | null =>
  height === null || anchor === null ? null : Math.min(height, anchor);

const lastSecond = async (context: ResolverContext, chain: Chain): Promise<number | null> =>
  context.anchor === null ? null : ((await context.ledger.blockByNumber(chain.id, context.anchor))?.timestamp ?? null);

/** Everything up to the anchor, itself included; null before the first block. Times are the chain's: what its clock has not reached is not known. */
export async function momentOfAnchor(context: ResolverContext, chain: Chain): Promise<Moment | null> {
  const time = await lastSecond(context, chain);
  return time === null ? null : momentAt(context, chain, time + 1);
}

/**
 * The end of a day, or of the last hour that the anchor has closed, whichever comes first: a list that is ranked by what changes with each block keeps
 * its order until the next hour. Null before the first block. @throws {notAcceptable} a day before the index or after today.
 */
export async function closedMoment(context: ResolverContext, chain: Chain, date: string | null): Promise<Moment | null> {
  if (date !== null) await heightAt(context, chain, { blockHeight: null, date });
  const time = await lastSecond(context, chain);
  if (time === null) return null;
  const closed = Math.floor(time / secondsOfHour) * secondsOfHour;
  return momentAt(context, chain, date === null ? closed : Math.min(closed, startOfDay(date) + secondsOfDay));
}

/** A month of days up to that of a moment, oldest first. */
export interface Days {
  /** When each day begins (unix seconds). */
  readonly starts: readonly number[];
  /** The last block before the first day, then the last block of each day. */
  readonly heights: readonly (number | null)[];
}

/** The days of a month's series; the last one ends with the moment. */
export async function daysUpTo(context: ResolverContext, chain: Chain, { end, at }: Moment): Promise<Days> {
  const today = Math.floor((end - 1) / secondsOfDay);
  const starts = Array.from({ length: pointsOfMonth }, (_, position) => (today - pointsOfMonth + 1 + position) * secondsOfDay);
  const heights = await context.tokens.heightsBefore(chain.id, starts);
  return { starts, heights: [...heights.map((height) => upTo(context, height)), at] };
}
