import type { Config } from "./config.ts";

/** The configurable request limits. */
export type RequestLimits = Config["limits"];

/** The response cache settings. */
export type CacheSettings = Config["cache"];
