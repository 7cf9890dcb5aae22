import type { Chain } from "../../generated/requests.gen.ts";
import { unsupportedValue } from "../lib/request-error.ts";
import { isoTimestamp, secondsPerDay, startOfDay } from "../lib/time.ts";
import type { ResolverContext } from "./context.ts";

/** A reference to a block in a request. */
export type BlockReference = number | "earliest" | "latest";

/** An inclusive height range. */
export interface BlockRange {
  readonly first: number;
  readonly last: number;
}

/** A block range in a request. */
export interface RangeReference {
  readonly startingBlock: BlockReference | null;
  readonly endingBlock: BlockReference | null;
}

/**
 * The indexed blocks in a range, up to the anchor; null if there are none. A missing bound defaults to that of the index.
 * @throws {RequestError} 400 if the start is above the end once "earliest" and "latest" are resolved; the request parser has already compared numeric bounds.
 * @throws {RequestError} 503 if the start or the end is above the as-of block of a projection that is being rebuilt.
 */
export function rangeOf(
  { anchor, rebuildError }: Pick<ResolverContext, "anchor" | "rebuildError">,
  { startingBlock, endingBlock }: RangeReference,
  indexedFrom: number | null,
): BlockRange | null {
  if (anchor === null) return null;
  const lowest = indexedFrom ?? 0;
  const from = startingBlock === "latest" ? anchor : toNumber(startingBlock);
  const to = endingBlock === "earliest" ? lowest : toNumber(endingBlock);
  if (from !== null && to !== null && from > to) {
    throw unsupportedValue("starting-block", String(startingBlock), `at most ${to}, the value of ending-block`);
  }
  if (rebuildError !== null && Math.max(from ?? lowest, to ?? lowest) > anchor) throw rebuildError;
  const first = Math.max(from ?? lowest, lowest);
  const last = Math.min(to ?? anchor, anchor);
  return first > last ? null : { first, last };
}

const toNumber = (reference: BlockReference | null): number | null => (typeof reference === "number" ? reference : null);

/**
 * The height for `block-height`; the anchor if it is absent; null before the first block.
 * @throws {RequestError} 400 if it is not indexed. @throws {RequestError} 503 if it is above the as-of block of a projection that is being rebuilt.
 */
export async function resolveBlockHeight(context: ResolverContext, chain: Chain, height: BlockReference | null): Promise<number | null> {
  const head = context.anchor;
  if (head === null || height === null || height === "latest") return head;
  const firstBlock = (await context.ledger.firstBlock(chain.id))?.number ?? head;
  if (height === "earliest") return firstBlock;
  if (height > head && context.rebuildError !== null) throw context.rebuildError;
  if (height > head || height < firstBlock) {
    throw unsupportedValue("block-height", String(height), `an indexed block, from ${firstBlock} to ${head}`);
  }
  return height;
}

/** A point in time in a request: a block or a day. */
export interface BlockOrDayReference {
  readonly blockHeight: BlockReference | null;
  readonly date: string | null;
}

/**
 * The height for `block-height` or `date`: the last block of a day, the anchor for a day that is not over or not fully indexed, and the anchor if neither is
 * present; null before the first block. @throws {RequestError} 400 if the block is not indexed, or the day is before the index or after today.
 * @throws {RequestError} 503 if the block or day is above the as-of block of a projection that is being rebuilt.
 */
export async function resolveBlockOrDay(
  context: ResolverContext,
  chain: Chain,
  { blockHeight, date }: BlockOrDayReference,
): Promise<number | null> {
  if (date === null || context.anchor === null) return resolveBlockHeight(context, chain, blockHeight);
  const today = dayOf(context.currentTime().getTime() / 1000);
  if (date > today) throw unsupportedValue("date", date, `a day no later than ${today}`);
  const last = await context.ledger.lastBlockBefore(chain.id, startOfDay(date) + secondsPerDay);
  if (last !== null && last.number > context.anchor && context.rebuildError !== null) throw context.rebuildError;
  if (last !== null) return Math.min(last.number, context.anchor);
  const firstBlock = await context.ledger.firstBlock(chain.id);
  throw unsupportedValue("date", date, `a day on or after ${dayOf(firstBlock?.timestamp ?? 0)}, the first indexed day`);
}

/** The UTC day of a unix time in seconds. */
const dayOf = (unixSeconds: number): string => isoTimestamp(Math.floor(unixSeconds)).slice(0, 10);
