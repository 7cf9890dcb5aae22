/** One kind of request to an endpoint. */
export interface Variant {
  readonly name: string;
  /** Paths below /v1, requested in turn. */
  readonly paths: readonly string[];
}

/** An endpoint with its requests. */
export interface EndpointCase {
  readonly row: number;
  readonly name: string;
  readonly variants: readonly Variant[];
}
