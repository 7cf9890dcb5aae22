import type { Config } from "./config.ts";

/** The configurable limits of requests. */
export type Limits = Config["limits"];

/** The settings of the cache of responses. */
export type CacheSettings = Config["cache"];
