import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder for files that later test runs reuse. */
export const cacheRoot = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/** Compiled contracts, by the hash of their sources; the demo's and those of tests. */
export const contractsDirectory = join(cacheRoot, "ashlar-contracts");
