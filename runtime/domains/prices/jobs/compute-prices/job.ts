import { createHash } from "node:crypto";
import type { ChainConfig } from "../../../../config/config.ts";
import type { Job, JobContext } from "../../../../jobs/job.ts";
import type { Hash } from "../../../../lib/hex.ts";
import { isoTimestamp } from "../../../../lib/time.ts";
import { createEvidenceQueries, type Height } from "./evidence.ts";
import { createPriceMaker, type PortionBounds, type PriceMaker } from "./price-computer.ts";
import { readSettings } from "./price-settings.ts";
import { writePortion } from "./write-prices.ts";

const everyMilliseconds = 1_000;
const millisecondsBetweenNotes = 10_000;

/** What prices are made by: with other settings they would be other ones. */
const fingerprintOf = ({ prices, exchanges, wrappedNative, nativeToken }: ChainConfig): string =>
  createHash("sha256")
    .update(JSON.stringify([prices, exchanges.map(({ factory, family }) => [factory, family]), wrappedNative, nativeToken.decimals]))
    .digest("hex");

/** Where the making was left: the last hour that was done, and how often prices had been undone. */
interface Left {
  readonly hour: number | null;
  readonly revision: number;
}

const isSame = (left: Left | null, right: Left): boolean => left?.hour === right.hour && left.revision === right.revision;

/** What may be bounded otherwise than usual. */
export interface PriceJobOptions {
  readonly bounds?: PortionBounds;
  readonly statesAtOnce?: number;
}

/** Makes prices of what is indexed, up to its head, and again with each new block. */
export const createComputePricesJob = (chain: ChainConfig, { bounds, statesAtOnce }: PriceJobOptions = {}): Job => {
  let kept: PriceMaker | null = null;
  /** What the kept one goes on from: its own last hour, and prices that nobody undid. */
  let left: Left | null = null;
  /** The head at which nothing was left to do. */
  let level: Hash | null = null;
  const { warnOfOthers, sayHowFar } = createNotes(chain);
  const fingerprint = fingerprintOf(chain);
  return {
    name: "compute-prices",
    everyMilliseconds,
    run: async ({ chainId, database, beside, clock, logger }) => {
      const queries = createEvidenceQueries(database, chainId, statesAtOnce);
      const [head, progress, made] = await Promise.all([queries.head(), queries.progress(), readSettings(database, chainId)]);
      if (head === null) return false;
      warnOfOthers(made.fingerprint, fingerprint, logger);
      const hour = progress?.hour ?? null;
      if (!isSame(left, { hour, revision: made.revision })) kept = null;
      else if (kept !== null && head.hash === level) return false;
      const isFirst = kept === null;
      const maker = kept ?? (await createPriceMaker(chain, queries, progress, bounds));
      // Kept again once what it gives is written. What was made of blocks that are gone, beside somebody else's changes or before a failure is made again.
      kept = null;
      level = null;
      if (maker === null) return false;
      const advanced = await maker.advance(head);
      if (advanced === null) return true;
      const { isLevel, ...portion } = advanced;
      const { height } = maker;
      const { revision } = made;
      const isWritten = await beside((client) =>
        writePortion(client, chainId, { portion, height, progress, fingerprint, revision, isFirst }),
      );
      if (isWritten !== true) return true;
      kept = maker;
      left = { hour: later(hour, portion.doneHour), revision };
      if (isLevel) level = head.hash;
      else sayHowFar(height, clock(), logger);
      return !isLevel;
    },
  };
};

/** The later of two hours; those of a day that is made again are done already. */
const later = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.max(left, right);

/** What is said of the making: each thing once, or now and then. */
const createNotes = ({ name }: ChainConfig) => {
  let isWarned = false;
  let saidAt = 0;
  return {
    warnOfOthers: (made: string | null, wanted: string, logger: JobContext["logger"]): void => {
      if (made === null || made === wanted || isWarned) return;
      logger.info(`The prices of ${name} were made by other settings; ashlar prices rebuild --chain ${name} makes them anew.`);
      isWarned = true;
    },
    sayHowFar: (height: Height | null, now: Date, logger: JobContext["logger"]): void => {
      if (height === null || now.getTime() - saidAt < millisecondsBetweenNotes) return;
      saidAt = now.getTime();
      logger.info(`The prices of ${name} are made up to ${isoTimestamp(height.time)}.`);
    },
  };
};
