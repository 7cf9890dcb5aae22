import { createHash } from "node:crypto";
import type { ChainConfig } from "../../../config/config.ts";
import type { Chore, ChoreContext } from "../../../jobs/chore.ts";
import type { Hash } from "../../../lib/hex.ts";
import { createEvidenceQueries, type Height, type Progress } from "./evidence-queries.ts";
import { createPriceMaker, type PortionBounds, type PriceMaker } from "./price-maker.ts";
import { readFingerprint, writePortion } from "./write-prices.ts";

const everyMilliseconds = 1_000;

/** What prices are made by: with other settings they would be other ones. */
const fingerprintOf = ({ prices, exchanges, wrappedNative, nativeToken }: ChainConfig): string =>
  createHash("sha256")
    .update(JSON.stringify([prices, exchanges.map(({ factory, family }) => [factory, family]), wrappedNative, nativeToken.decimals]))
    .digest("hex");

/** What may be bounded otherwise than usual. */
export interface PriceChoreOptions {
  readonly bounds?: PortionBounds;
  readonly statesAtOnce?: number;
}

/** Makes prices of what is indexed, up to its head, and again with each new block. */
export const createPriceChore = (chain: ChainConfig, { bounds, statesAtOnce }: PriceChoreOptions = {}): Chore => {
  let kept: PriceMaker | null = null;
  /** Where nothing was left to do. */
  let level: { readonly head: Hash; readonly hour: number | null } | null = null;
  let isWarned = false;
  const fingerprint = fingerprintOf(chain);
  const isLevelWith = (head: Height, progress: Progress | null): boolean =>
    kept !== null && level !== null && head.hash === level.head && (progress?.hour ?? null) === level.hour;
  const warn = (logger: ChoreContext["logger"]): void => {
    if (isWarned) return;
    logger.info(`The prices of ${chain.name} were made by other settings; ashlar prices rebuild --chain ${chain.name} makes them anew.`);
    isWarned = true;
  };
  return {
    name: "make prices",
    everyMilliseconds,
    run: async ({ chainId, database, beside, logger }) => {
      const queries = createEvidenceQueries(database, chainId, statesAtOnce);
      const [head, progress, made] = await Promise.all([queries.head(), queries.progress(), readFingerprint(database, chainId)]);
      if (head === null) return false;
      if (made !== null && made !== fingerprint) warn(logger);
      if (isLevelWith(head, progress)) return false;
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
      const isWritten = await beside((client) =>
        writePortion(client, chainId, { portion, height, progress, fingerprint: made ?? fingerprint, isFirst }),
      );
      if (isWritten !== true) return true;
      kept = maker;
      if (isLevel) level = { head: head.hash, hour: portion.doneHour ?? progress?.hour ?? null };
      return !isLevel;
    },
  };
};
