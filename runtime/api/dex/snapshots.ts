import type { Chain } from "../../../generated/requests.gen.ts";
import type { ExchangeHour } from "../../domains/dex/queries/roll-up.ts";
import { keptHours } from "../../domains/dex/queries/roll-up.ts";
import { dayOf, endsOfWeek, lastHourOf } from "../../domains/dex/queries/spans.ts";
import type { Address } from "../../lib/hex.ts";
import { secondsOfDay, secondsOfHour, startOfDay } from "../../lib/time.ts";
import { heightAt } from "../at.ts";
import type { ResolverContext } from "../context.ts";

/** Points of a series of a month: one more than it has days, so that its change can be computed; the week's are its last ones. */
export const pointsOfMonth = 31;
export const pointsOfWeek = 8;

/** A time, with the last block before it and before the spans that end at it; null if there is no block before. */
export interface Snapshot {
  /** Unix seconds; exclusive. */
  readonly end: number;
  readonly at: number | null;
  readonly dayBefore: number | null;
  /** Where each of the seven spans of 24 hours up to the end ends, newest first, and where the last one begins. */
  readonly week: readonly (number | null)[];
}

const momentAt = async (context: ResolverContext, chain: Chain, end: number): Promise<Snapshot> => {
  const heights = await context.tokens.heightsBefore(chain.id, endsOfWeek(end));
  const week = heights.map((height) => upTo(context, height));
  const [at = null, dayBefore = null] = week;
  return { end, at, dayBefore, week };
};

const upTo = ({ anchor }: ResolverContext, height: number | null): number | null =>
  height === null || anchor === null ? null : Math.min(height, anchor);

/** The timestamp of the anchor; null before the first block. */
export const anchorTime = async (context: ResolverContext, chain: Chain): Promise<number | null> =>
  context.anchor === null ? null : ((await context.ledger.blockByNumber(chain.id, context.anchor))?.timestamp ?? null);

/** The snapshot that ends with the anchor; null before the first block. */
export async function snapshotAtAnchor(context: ResolverContext, chain: Chain): Promise<Snapshot | null> {
  const time = await anchorTime(context, chain);
  return time === null ? null : momentAt(context, chain, time + 1);
}

/** The snapshot of a ranked list, with its roll-up; null if that hour has none. */
export interface RankedSnapshot extends Snapshot {
  readonly rollUp: ExchangeHour | null;
}

/**
 * The snapshot of a ranked list: the end of a day, or of the last hour before the anchor, whichever comes first, so that the order stays until the next hour.
 * An hour is rolled up some seconds after its end: until then the list is as of the hour before, and the anchor of its later pages is pinned accordingly.
 * Without a roll-up of the last hours (no prices, or prices being recomputed) the list is ordered by address. Null before the first block.
 * @throws {notAcceptable} a day before the index or after today.
 */
export async function rankedSnapshot(
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  date: string | null,
): Promise<RankedSnapshot | null> {
  if (date !== null) await heightAt(context, chain, { blockHeight: null, date });
  const time = await anchorTime(context, chain);
  if (time === null) return null;
  const closed = Math.floor(time / secondsOfHour) - 1;
  const asked = date === null ? closed : Math.min(closed, lastHourOf(dayOf(startOfDay(date))));
  const rollUp = await rollUpOf(context, chain, factory, asked, asked === closed);
  return { ...(await momentAt(context, chain, ((rollUp?.hour ?? asked) + 1) * secondsOfHour)), rollUp };
}

const rollUpOf = async ({ anchor, pin, rollUps }: ResolverContext, chain: Chain, factory: Address, hour: number, isNewest: boolean) => {
  const block = anchor ?? -1;
  if (!isNewest) return rollUps.hourAt(chain.id, factory, hour, block);
  const newest = await rollUps.newestHour(chain.id, factory, hour - keptHours + 1, block);
  if (newest !== null) pin(newest.block_number);
  return newest;
};

/** A month of days up to that of a moment, oldest first. */
export interface Days {
  /** When each day begins (unix seconds). */
  readonly starts: readonly number[];
  /** The last block before the first day, then the last block of each day. */
  readonly heights: readonly (number | null)[];
}

/** When the days of a month's series begin (unix seconds), oldest first; the last one has the end of the moment. */
export function startsOfDays({ end }: Pick<Snapshot, "end">): readonly number[] {
  const today = dayOf(end - 1);
  return Array.from({ length: pointsOfMonth }, (_, position) => (today - pointsOfMonth + 1 + position) * secondsOfDay);
}

/** The days of a month's series; the last one ends with the moment. */
export async function daysOfMonth(context: ResolverContext, chain: Chain, { end, at }: Snapshot): Promise<Days> {
  const starts = startsOfDays({ end });
  const heights = await context.tokens.heightsBefore(chain.id, starts);
  return { starts, heights: [...heights.map((height) => upTo(context, height)), at] };
}
