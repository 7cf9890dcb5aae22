import { every, poll } from "../../lib/async.ts";
import type { EmbeddedPaths } from "./paths.ts";
import { findPostmaster, isOccupied, type Postmaster } from "./postmaster.ts";
import { EmbeddedUnavailable } from "./unavailable.ts";

const pollMilliseconds = 50;
/** Crash recovery may take minutes. */
const recoveryMilliseconds = 300_000;

/** Finds a killed process's server, once it has finished starting or stopping. @throws {EmbeddedUnavailable} */
export async function findOrphan(paths: EmbeddedPaths, signal?: AbortSignal): Promise<Postmaster | undefined> {
  const find = (): { readonly postmaster: Postmaster | undefined } | null => {
    signal?.throwIfAborted();
    const postmaster = findPostmaster(paths);
    return postmaster !== undefined || !isOccupied(paths) ? { postmaster } : null;
  };
  const found = await poll(find, { ...every(pollMilliseconds), withinMilliseconds: recoveryMilliseconds });
  if (found === null) throw new EmbeddedUnavailable(`an earlier server of ${paths.root} has neither finished starting nor stopped`);
  return found.postmaster;
}
