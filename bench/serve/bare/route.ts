/** A row as the server sends it: the text of each column. */
export type Row = readonly (string | null)[];

/** The parts of a request's URL. */
export interface BareRequest {
  /** Segments of the path below /v1/eth-mainnet. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** The time of the response in Unix seconds. */
  readonly now: number;
}

/** A bare-server endpoint: one statement, and the JSON text of its rows. */
export interface Route<Request = BareRequest> {
  /** File name in bench/serve/statements, without the extension. */
  readonly statement: string;
  readonly values: (request: Request) => readonly (string | number)[];
  readonly body: (rows: readonly Row[], request: Request) => string;
}
