import { createHash } from "node:crypto";
import type { ChainConfig } from "../../../config/config.ts";
import type { Chore } from "../../../jobs/chore.ts";
import type { Hash } from "../../../lib/hex.ts";
import { createEvidenceQueries } from "./evidence-queries.ts";
import { endsIn } from "./price-ledger.ts";
import { createPriceMaker, type PriceMaker } from "./price-maker.ts";
import { readFingerprint, writePortion } from "./write-prices.ts";

const everyMilliseconds = 1_000;

/** What prices are made by: with other settings they would be other ones. */
const fingerprintOf = ({ prices, exchanges, wrappedNative, nativeToken }: ChainConfig): string =>
  createHash("sha256")
    .update(JSON.stringify([prices, exchanges.map(({ factory, family }) => [factory, family]), wrappedNative, nativeToken.decimals]))
    .digest("hex");

/** Makes prices of what is indexed, up to its head, and again with each new block. */
export const createPriceChore = (chain: ChainConfig): Chore => {
  let maker: PriceMaker | null = null;
  /** Where nothing was left to do. */
  let level: { readonly head: Hash; readonly hour: number | null } | null = null;
  let isWarned = false;
  const fingerprint = fingerprintOf(chain);
  return {
    name: "make prices",
    everyMilliseconds,
    run: async ({ chainId, database, beside, logger }) => {
      const queries = createEvidenceQueries(database, chainId);
      const [head, progress, made] = await Promise.all([queries.head(), queries.progress(), readFingerprint(database, chainId)]);
      if (head === null) return false;
      if (made !== null && made !== fingerprint && !isWarned) {
        logger.info(
          `The prices of ${chain.name} were made by other settings; ashlar prices rebuild --chain ${chain.name} makes them anew.`,
        );
        isWarned = true;
      }
      const isFirst = maker === null;
      if (!isFirst && head.hash === level?.head && (progress?.hour ?? null) === level.hour) return false;
      maker ??= await createPriceMaker(chain, queries, progress);
      if (maker === null) return false;
      const { isLevel, ...portion } = await maker.advance(head);
      const closings = await queries.blocksFrom(endsIn(portion));
      const { height } = maker;
      const isWritten = await beside((client) =>
        writePortion(client, chainId, { portion, closings, height, progress, fingerprint: made ?? fingerprint, isFirst }),
      );
      // What was made of blocks that are gone, or beside somebody else's changes, is made again.
      if (isWritten !== true) maker = null;
      level = isWritten === true && isLevel ? { head: head.hash, hour: portion.doneHour ?? progress?.hour ?? null } : null;
      return isWritten !== true || !isLevel;
    },
  };
};
