import { createHash } from "node:crypto";
import type { ChainConfig } from "../../../config/config.ts";
import type { Chore, ChoreContext } from "../../../jobs/chore.ts";
import type { Hash } from "../../../lib/hex.ts";
import { isoTimestamp } from "../../../lib/time.ts";
import { createEvidenceQueries, type Height } from "./evidence-queries.ts";
import { endsIn } from "./price-ledger.ts";
import { createPriceMaker, type PriceMaker } from "./price-maker.ts";
import { readSettings } from "./price-settings.ts";
import { writePortion } from "./write-prices.ts";

const everyMilliseconds = 1_000;
const millisecondsBetweenNotes = 10_000;

/** What prices are made by: with other settings they would be other ones. */
const fingerprintOf = ({ prices, exchanges, wrappedNative, nativeToken }: ChainConfig): string =>
  createHash("sha256")
    .update(JSON.stringify([prices, exchanges.map(({ factory, family }) => [factory, family]), wrappedNative, nativeToken.decimals]))
    .digest("hex");

/** Makes prices of what is indexed, up to its head, and again with each new block. */
export const createPriceChore = (chain: ChainConfig): Chore => {
  let maker: PriceMaker | null = null;
  /** What the maker goes on from: its own last hour, and prices that nobody undid. */
  let left: { readonly hour: number | null; readonly revision: number } | null = null;
  /** The head at which nothing was left to do. */
  let level: Hash | null = null;
  const fingerprint = fingerprintOf(chain);
  let isWarned = false;
  const warnOfOthers = (made: string | null, logger: ChoreContext["logger"]): void => {
    if (made === null || made === fingerprint || isWarned) return;
    logger.info(`The prices of ${chain.name} were made by other settings; ashlar prices rebuild --chain ${chain.name} makes them anew.`);
    isWarned = true;
  };
  let saidAt = 0;
  /** Says how far long work has come, now and then. */
  const sayHowFar = (height: Height | null, { clock, logger }: Pick<ChoreContext, "clock" | "logger">): void => {
    const now = clock().getTime();
    if (height === null || now - saidAt < millisecondsBetweenNotes) return;
    saidAt = now;
    logger.info(`The prices of ${chain.name} are made up to ${isoTimestamp(height.time)}.`);
  };
  return {
    name: "make prices",
    everyMilliseconds,
    run: async ({ chainId, database, beside, clock, logger }) => {
      const queries = createEvidenceQueries(database, chainId);
      const [head, progress, made] = await Promise.all([queries.head(), queries.progress(), readSettings(database, chainId)]);
      if (head === null) return false;
      warnOfOthers(made.fingerprint, logger);
      const hour = progress?.hour ?? null;
      if (left?.hour !== hour || left.revision !== made.revision) maker = null;
      else if (maker !== null && head.hash === level) return false;
      const isFirst = maker === null;
      maker ??= await createPriceMaker(chain, queries, progress);
      if (maker === null) return false;
      const from = maker.height;
      const { isLevel, ...portion } = await maker.advance(head);
      const closings = await queries.blocksFrom(endsIn(portion));
      const { height } = maker;
      const { revision } = made;
      const isWritten = await beside((client) =>
        writePortion(client, chainId, { portion, closings, from, height, progress, fingerprint, revision, isFirst }),
      );
      // What was made of blocks that are gone, or beside somebody else's changes, is made again.
      if (isWritten !== true) maker = null;
      left = { hour: later(hour, portion.doneHour), revision };
      if (!isLevel) sayHowFar(height, { clock, logger });
      level = isLevel ? head.hash : null;
      return isWritten !== true || !isLevel;
    },
  };
};

/** The later of two hours; those of a day that is made again are done already. */
const later = (left: number | null, right: number | null): number | null =>
  left === null || right === null ? (left ?? right) : Math.max(left, right);
