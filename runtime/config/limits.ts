import type { Config } from "./config.ts";

/** The configurable limits of requests. */
export type Limits = Config["limits"];
