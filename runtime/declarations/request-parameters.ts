import type { QueryParameter } from "./protocol.ts";

/** The optional request parameters, and their names in SQL; every operation has the other parameters. */
const optionalParameters: Readonly<Record<string, QueryParameter>> = { address: "wallet", "pool-address": "pool" };

/** The request parameters that operations may have in addition to chain, page and format. */
export const requestParameters = ["address", "pool-address"] as const;
export type RequestParameter = (typeof requestParameters)[number];

/** The parameters that an operation's SQL must use, given its request parameters. It may not use others. */
export const queryParametersOf = (names: readonly string[]): QueryParameter[] => [
  "chain",
  ...names.flatMap((name) => optionalParameters[name] ?? []),
  "as_of_block",
  "limit",
  "offset",
];
