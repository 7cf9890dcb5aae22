import type { ChainConfig } from "../../../../config/config.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../jobs/job.ts";
import type { Address } from "../../../../lib/hex.ts";
import { secondsPerHour } from "../../../../lib/time.ts";
import { createBlockQueries } from "../../../ledger/queries/block.ts";
import { createPoolQueries } from "../../../pools/queries/index.ts";
import { createPriceQueries } from "../../../prices/queries/price.ts";
import { createTokenQueries } from "../../../tokens/queries/index.ts";
import { retentionHours } from "../../queries/roll-up.ts";
import { lastHourOf } from "../../queries/spans.ts";
import { isRolledUp, newestMissingDay } from "./due-hours.ts";
import { rollUpHour } from "./roll-up-hour.ts";
import { storeRollUp } from "./store-roll-up.ts";

/** The configuration that roll-ups depend on. */
export type RollUpConfig = Pick<ChainConfig, "exchanges" | "activePoolDays">;

/** Increased with each change of the computation, so that stored roll-ups are recomputed. */
const version = 1;

/** Rolls up exchanges at the end of each hour, and at the end of each past day, once prices at that time are known; one exchange and hour per run. */
export const createRollUpJobs = (chain: RollUpConfig): Job[] => [
  // Short interval: lists are ordered by the roll-up of the newest hour.
  { name: "roll-up-new-hours", intervalMilliseconds: 2_000, run: (context) => rollUp(context, chain, newestHour) },
  { name: "roll-up-past-days", intervalMilliseconds: 60_000, run: (context) => rollUp(context, chain, missingDay) },
];

/** The hours that may be rolled up. */
interface Range {
  readonly fingerprint: string;
  /** The first and the last hour with prices that the chain has passed. */
  readonly first: number;
  readonly last: number;
  /** The last hour that the chain has passed. */
  readonly lastPassed: number;
}

type ChooseHour = (context: JobContext, factory: Address, range: Range) => Promise<number | null>;

/**
 * The last hour with prices. While prices lag, it is due only if it is the hour right before its closing block: the pages of a list are pinned to that block,
 * so one block must not close two rolled-up hours. Hours past retention are not rolled up.
 */
const newestHour: ChooseHour = async (context, factory, { fingerprint, last, lastPassed }) => {
  if (last <= lastPassed - retentionHours) return null;
  if (last < lastPassed) {
    const closing = await closingBlock(context, last);
    if (closing === null || closing.timestamp >= (last + 2) * secondsPerHour) return null;
  }
  return (await isRolledUp(context, factory, fingerprint, last)) ? null : last;
};

const missingDay: ChooseHour = async (context, factory, { fingerprint, first, last }) => {
  const day = await newestMissingDay(context, factory, fingerprint, first, last);
  return day === null ? null : lastHourOf(day);
};

/** Rolls up the first due hour of any exchange; false if none is due. */
const rollUp = async (context: JobContext, { exchanges, activePoolDays }: RollUpConfig, choose: ChooseHour): Promise<boolean> => {
  const range = await rangeOf(context, activePoolDays);
  if (range === null) return false;
  for (const { factory, family } of exchanges) {
    if (family !== "xy=k") continue;
    const hour = await choose(context, factory, range);
    const closing = hour === null ? null : await closingBlock(context, hour);
    if (hour === null || closing === null) continue;
    const { chainId, database } = context;
    const deps = {
      chainId,
      pools: createPoolQueries(database),
      prices: pricesOf(context),
      tokens: createTokenQueries(database),
    };
    const computed = await rollUpHour(deps, factory, activePoolDays, hour);
    return storeRollUp(context, { factory, fingerprint: range.fingerprint, closingBlock: closing }, computed);
  }
  return false;
};

/** Roll-ups are in US dollars: no currency rate is needed. */
const pricesOf = ({ database }: JobContext) => createPriceQueries(database, (chainId) => chainId);

/** The hours that may be rolled up; null if no hour has prices yet. */
const rangeOf = async (context: JobContext, activePoolDays: number): Promise<Range | null> => {
  const { chainId, database } = context;
  const prices = pricesOf(context);
  const blocks = createBlockQueries(database);
  const [first, last, priceVersion, head, firstBlock] = await Promise.all([
    prices.firstPricedHour(chainId),
    prices.lastPricedHour(chainId),
    prices.priceVersion(chainId),
    blocks.head(chainId),
    blocks.firstBlock(chainId),
  ]);
  if (first === null || last === null || head === null || firstBlock === null) return null;
  const lastPassed = Math.floor(head.timestamp / secondsPerHour) - 1;
  return {
    fingerprint: `${version} ${activePoolDays} ${priceVersion}`,
    first: Math.max(first, Math.floor(firstBlock.timestamp / secondsPerHour)),
    last: Math.min(last, lastPassed),
    lastPassed,
  };
};

/** The first block at or after the end of an hour. */
const closingBlock = async ({ chainId, database }: JobContext, hour: number): Promise<(IndexedBlock & { timestamp: number }) | null> =>
  createBlockQueries(database).firstBlockFrom(chainId, (hour + 1) * secondsPerHour);
