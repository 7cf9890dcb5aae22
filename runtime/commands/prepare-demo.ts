import type { Config } from "../config/config.ts";
import { prepareDataDirectory } from "./data-directory.ts";
import { findDemo } from "./demo.ts";

/** Creates the data directory of the demo, and starts what a first start waits for longest. @throws {CommandError} if the data directory cannot be used */
export async function prepareDemo({ dataDirectory }: Config): Promise<void> {
  prepareDataDirectory(dataDirectory);
  (await findDemo())?.prepare(dataDirectory);
}
