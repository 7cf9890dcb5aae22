import { BadReplyError } from "../../chain/errors.ts";
import type { Source } from "../../chain/source.ts";
import type { StoredLedger } from "../storage/stored-ledger.ts";

const firstWindow = 4;
const largestWindow = 128;

/** The highest stored block, at or below `top`, that the node has too; `lowest - 1` where it has none of them. @throws {BadReplyError} */
export const findAncestor = async (
  source: Pick<Source, "hashesOf">,
  ledger: Pick<StoredLedger, "hashes">,
  top: number,
  lowest: number,
): Promise<number> => {
  let window = firstWindow;
  for (let end = top; end >= lowest; ) {
    const start = Math.max(lowest, end - window + 1);
    const heights = Array.from({ length: end - start + 1 }, (_, offset) => end - offset);
    const [stored, told] = await Promise.all([ledger.hashes(start, end), source.hashesOf(heights)]);
    // The node said that it has them: none at all is no other branch, but an answer of a node that lags behind it.
    if (told.includes(null)) throw new BadReplyError(`The node does not have all of the blocks ${start} to ${end}, below its own head.`);
    const position = heights.findIndex((height, index) => stored.has(height) && stored.get(height) === told[index]);
    if (position >= 0) return heights[position] ?? lowest - 1;
    end = start - 1;
    window = Math.min(window * 2, largestWindow);
  }
  return lowest - 1;
};
