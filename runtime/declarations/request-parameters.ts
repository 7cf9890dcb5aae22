import type { QueryParameter } from "./protocol.ts";

/** The optional parameters of requests, and their names in SQL; every operation has the other parameters. */
const optionalParameters: Readonly<Record<string, QueryParameter>> = { address: "wallet", "pool-address": "pool" };

/** The request parameters that operations may have in addition to chain, page and format. */
export const requestParameters = ["address", "pool-address"] as const;
export type RequestParameter = (typeof requestParameters)[number];

/** The parameters that the SQL of an operation may and must use, by the parameters of its requests. */
export const queryParametersOf = (names: readonly string[]): QueryParameter[] => [
  "chain",
  ...names.flatMap((name) => optionalParameters[name] ?? []),
  "as_of_block",
  "limit",
  "offset",
];
