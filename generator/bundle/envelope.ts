/** The body of every successful response. */
export interface Success<Data> {
  readonly data: Data;
  readonly error: false;
  readonly error_message: null;
  readonly error_code: null;
}

/** The body of every failed response. */
export interface Failure {
  readonly data: null;
  readonly error: true;
  readonly error_message: string;
  readonly error_code: number;
}
