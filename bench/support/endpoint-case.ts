/** One kind of question to an endpoint. */
export interface Variant {
  readonly name: string;
  /** Paths below /v1, asked in turn. */
  readonly paths: readonly string[];
}

/** An endpoint with the questions that it is asked. */
export interface EndpointCase {
  readonly row: number;
  readonly name: string;
  readonly variants: readonly Variant[];
}
