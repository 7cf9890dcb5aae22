import type { Chain } from "../../../generated/requests.gen.ts";
import type { ExchangeHour } from "../../domains/dex/queries/exchange-hours.ts";
import { retentionHours } from "../../domains/dex/queries/roll-up.ts";
import { dayOf, endsOfWeek, lastHourOf } from "../../domains/dex/queries/spans.ts";
import type { Address } from "../../lib/hex.ts";
import { secondsPerDay, secondsPerHour, startOfDay } from "../../lib/time.ts";
import { resolveBlockOrDay } from "../block-references.ts";
import type { ResolverContext } from "../context.ts";

/**
 * Points in a month's series: one more than its days, so that the change over the month can be computed. A week's series is the last part of a
 * month's.
 */
export const pointsOfMonth = 31;
export const pointsOfWeek = 8;

/** A point in time, with the last block before it and the last blocks before earlier times; a block is null if the index has none. */
export interface Snapshot {
  /** Unix seconds; exclusive. */
  readonly end: number;
  readonly lastBlock: number | null;
  readonly blockDayBefore: number | null;
  /** The last blocks before the end and before each of the times one to seven days earlier, newest first. */
  readonly weekBlocks: readonly (number | null)[];
}

const snapshotAt = async (context: ResolverContext, chain: Chain, end: number): Promise<Snapshot> => {
  const heights = await context.tokens.heightsBefore(chain.id, endsOfWeek(end));
  const weekBlocks = heights.map((height) => limitToAnchor(context, height));
  const [lastBlock = null, blockDayBefore = null] = weekBlocks;
  return { end, lastBlock, blockDayBefore, weekBlocks };
};

const limitToAnchor = ({ anchor }: ResolverContext, height: number | null): number | null =>
  height === null || anchor === null ? null : Math.min(height, anchor);

/** The timestamp of the anchor; null before the first block. */
export const anchorTime = async (context: ResolverContext, chain: Chain): Promise<number | null> =>
  context.anchor === null ? null : ((await context.ledger.blockByNumber(chain.id, context.anchor))?.timestamp ?? null);

/** The snapshot that ends with the anchor; null before the first block. */
export async function snapshotAtAnchor(context: ResolverContext, chain: Chain): Promise<Snapshot | null> {
  const time = await anchorTime(context, chain);
  return time === null ? null : snapshotAt(context, chain, time + 1);
}

/** The snapshot for a ranked list. `rollUp` is null if the snapshot's last hour has no roll-up. */
export interface RankedSnapshot extends Snapshot {
  readonly rollUp: ExchangeHour | null;
}

/**
 * The snapshot for a ranked list: the end of a day or of the last hour before the anchor, whichever is earlier, so that the order is stable for an hour. An
 * hour is rolled up some seconds after its end: until then the list is as of the previous hour, and the anchor of its later pages is pinned accordingly.
 * If the last hours have no roll-up (no prices, or prices being recomputed), the list is ordered by address. Null before the first block.
 * @throws {RequestError} 400 if the day is before the index or after today.
 */
export async function rankedSnapshot(
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  date: string | null,
): Promise<RankedSnapshot | null> {
  if (date !== null) await resolveBlockOrDay(context, chain, { blockHeight: null, date });
  const time = await anchorTime(context, chain);
  if (time === null) return null;
  const lastClosedHour = Math.floor(time / secondsPerHour) - 1;
  const requestedHour = date === null ? lastClosedHour : Math.min(lastClosedHour, lastHourOf(dayOf(startOfDay(date))));
  const rollUp = await rollUpOf(context, chain, factory, requestedHour, requestedHour === lastClosedHour);
  return { ...(await snapshotAt(context, chain, ((rollUp?.hour ?? requestedHour) + 1) * secondsPerHour)), rollUp };
}

const rollUpOf = async (
  { anchor, pinAnchor, rollUps }: ResolverContext,
  chain: Chain,
  factory: Address,
  hour: number,
  isNewest: boolean,
) => {
  const block = anchor ?? -1;
  if (!isNewest) return rollUps.hourAt(chain.id, factory, hour, block);
  const newest = await rollUps.newestHour(chain.id, factory, hour - retentionHours + 1, block);
  if (newest !== null) pinAnchor(newest.block_number);
  return newest;
};

/** The days in the month up to a snapshot, oldest first. */
export interface DaySeries {
  /** The start of each day (unix seconds). */
  readonly starts: readonly number[];
  /** The last block before the first day, then the last block of each day. */
  readonly heights: readonly (number | null)[];
}

/** When each day in a month's series starts (unix seconds), oldest first; the last day contains the snapshot's end. */
export function startsOfDays({ end }: Pick<Snapshot, "end">): readonly number[] {
  const today = dayOf(end - 1);
  return Array.from({ length: pointsOfMonth }, (_, position) => (today - pointsOfMonth + 1 + position) * secondsPerDay);
}

/** The days in a month's series; the last one ends with the snapshot. */
export async function daysOfMonth(context: ResolverContext, chain: Chain, { end, lastBlock }: Snapshot): Promise<DaySeries> {
  const starts = startsOfDays({ end });
  const heights = await context.tokens.heightsBefore(chain.id, starts);
  return { starts, heights: [...heights.map((height) => limitToAnchor(context, height)), lastBlock] };
}
