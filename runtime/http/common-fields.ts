/** The fields of parsed requests that the HTTP layer uses, for any endpoint. */
export interface CommonFields {
  readonly chainId: number | null;
  readonly pageNumber: number;
  readonly format: "json" | "csv";
  /** Days that the response covers, for a cost per 30 days. */
  readonly days: number;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;

const numberOr = <T>(value: unknown, fallback: T): number | T => (typeof value === "number" ? value : fallback);

/** Reads a request's common fields. */
export const readCommonFields = (request: unknown): CommonFields => ({
  chainId: numberOr(memberOf(memberOf(request, "chain") ?? memberOf(request, "chainName"), "id"), null),
  pageNumber: numberOr(memberOf(memberOf(request, "page"), "number"), 0),
  format: memberOf(request, "format") === "csv" ? "csv" : "json",
  days: numberOr(memberOf(request, "days"), 30),
});
