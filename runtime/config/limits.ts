import type { Config } from "./config.ts";

/** The bounds of a request that an operator can set. */
export type Limits = Config["limits"];
