import { createHash } from "node:crypto";
import type { ChainConfig } from "../../../../config/config.ts";
import type { Job, JobContext } from "../../../../jobs/job.ts";
import type { Hash } from "../../../../lib/hex.ts";
import { isoTimestamp } from "../../../../lib/time.ts";
import { createEvidenceQueries } from "./evidence.ts";
import type { BlockRef } from "./evidence-blocks.ts";
import { createPriceComputer, type PortionBounds, type PriceComputer } from "./price-computer.ts";
import { readSettings } from "./price-settings.ts";
import { writePortion } from "./write-prices.ts";

const intervalMilliseconds = 1_000;
const reportIntervalMilliseconds = 10_000;

/** A hash of the settings that prices depend on. */
const fingerprintOf = ({ prices, exchanges, wrappedNative, nativeToken }: ChainConfig): string =>
  createHash("sha256")
    .update(JSON.stringify([prices, exchanges.map(({ factory, family }) => [factory, family]), wrappedNative, nativeToken.decimals]))
    .digest("hex");

/** The state from which a reused computer continues: the last completed hour, and a revision of the prices. */
interface ResumePoint {
  readonly hour: number | null;
  readonly revision: number;
}

const isSame = (left: ResumePoint | null, right: ResumePoint): boolean => left?.hour === right.hour && left.revision === right.revision;

/** Overrides of default limits. */
export interface PriceJobOptions {
  readonly bounds?: PortionBounds;
  readonly pageSize?: number;
}

/** Computes prices up to the indexed head, and again with each new block. */
export const createComputePricesJob = (chain: ChainConfig, { bounds, pageSize }: PriceJobOptions = {}): Job => {
  let reused: PriceComputer | null = null;
  let resumePoint: ResumePoint | null = null;
  /** The hash of the head that the reused computer has reached. */
  let reachedHead: Hash | null = null;
  const { reportDifferentSettings, reportProgress } = createReports(chain);
  const fingerprint = fingerprintOf(chain);
  return {
    name: "compute-prices",
    intervalMilliseconds,
    run: async ({ chainId, database, runExclusiveKeepingCache, clock, logger }) => {
      const queries = createEvidenceQueries(database, chainId, pageSize);
      const [head, progress, settings] = await Promise.all([queries.head(), queries.progress(), readSettings(database, chainId)]);
      if (head === null) return false;
      reportDifferentSettings(settings.fingerprint, fingerprint, logger);
      const hour = progress?.hour ?? null;
      if (!isSame(resumePoint, { hour, revision: settings.revision })) reused = null;
      else if (reused !== null && head.hash === reachedHead) return false;
      const isFirst = reused === null;
      const computer = reused ?? (await createPriceComputer(chain, queries, progress, bounds));
      // The computer is reused once its portion is written. After a reorganisation, a concurrent change or a failure, a new computer starts over.
      reused = null;
      reachedHead = null;
      if (computer === null) return false;
      const advanced = await computer.advance(head);
      if (advanced === null) return true;
      const { isAtHead, ...portion } = advanced;
      const { block } = computer;
      const { revision } = settings;
      const isWritten = await runExclusiveKeepingCache((client) =>
        writePortion(client, chainId, { portion, block, progress, fingerprint, revision, isFirst }),
      );
      if (isWritten !== true) return true;
      reused = computer;
      resumePoint = { hour: laterHour(hour, portion.completedHour), revision };
      if (isAtHead) reachedHead = head.hash;
      else reportProgress(block, clock(), logger);
      return !isAtHead;
    },
  };
};

/** The later of two hours: a recomputed day may have hours that are already completed. */
const laterHour = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.max(left, right);

/** Log messages: one about different settings, and progress at intervals. */
const createReports = ({ name }: ChainConfig) => {
  let isReported = false;
  let reportedAt = 0;
  return {
    reportDifferentSettings: (stored: string | null, current: string, logger: JobContext["logger"]): void => {
      if (stored === null || stored === current || isReported) return;
      logger.info(`Prices of ${name} were computed with different settings; to recompute them, run ashlar prices rebuild --chain ${name}`);
      isReported = true;
    },
    reportProgress: (block: BlockRef | null, now: Date, logger: JobContext["logger"]): void => {
      if (block === null || now.getTime() - reportedAt < reportIntervalMilliseconds) return;
      reportedAt = now.getTime();
      logger.info(`Computed prices of ${name} up to ${isoTimestamp(block.time)}`);
    },
  };
};
