import { InvalidResponseError } from "../../chain/errors.ts";
import type { Source } from "../../chain/source.ts";
import type { StoredLedger } from "../types.ts";

const firstWindow = 4;
const maxWindow = 128;

/** The highest stored block at or below `top` that the node also has; `lowest - 1` if it has none of them. @throws {InvalidResponseError} */
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
    const [stored, hashes] = await Promise.all([ledger.hashes(start, end), source.hashesOf(heights)]);
    // The node's head is above these blocks: if it lacks one, the node is lagging rather than on a different branch.
    if (hashes.includes(null))
      throw new InvalidResponseError(`The node does not have all of the blocks ${start} to ${end}, which are below its own head.`);
    const position = heights.findIndex((height, index) => stored.has(height) && stored.get(height) === hashes[index]);
    if (position >= 0) return heights[position] ?? lowest - 1;
    end = start - 1;
    window = Math.min(window * 2, maxWindow);
  }
  return lowest - 1;
};
