import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder for files that later test runs reuse. */
export const cacheRoot = fileURLToPath(new URL("../../node_modules/.cache/", import.meta.url));

/** The tests' compiled contracts, by their sources' hash. */
export const contractsDirectory = join(cacheRoot, "ashlar-contracts");
