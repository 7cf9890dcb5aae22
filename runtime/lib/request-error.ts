/** An error whose status and message are safe to show to the client. */
export class RequestError extends Error {
  readonly status: 400 | 402 | 404 | 501 | 503;
  /** Seconds after which the same request may succeed; null if waiting does not help. */
  readonly retryAfterSeconds: number | null;
  override readonly name = "RequestError";

  constructor(status: RequestError["status"], message: string, retryAfterSeconds: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A 404 error about an entity that may be on the chain but is not in the index. */
export class NotIndexedError extends RequestError {
  constructor(message: string) {
    super(404, message);
  }
}

/** The error for an entity that the index does not have. */
export const notFound = (kind: string, sent: string, chainName: string): RequestError =>
  new NotIndexedError(`${kind} ${sent} not found in the index of ${chainName}.`);

/** The error for a response that exceeds the maximum size. */
export const responseTooLarge = (bytes: number, maxBytes: number): RequestError =>
  new RequestError(
    400,
    `Response too large: at least ${bytes} bytes; the maximum is ${maxBytes} (limits.responseBytes); request fewer items or a smaller range.`,
  );

/** The error for a well-formed value that the chain's index does not support. */
export const unsupportedValue = (parameter: string, sent: string, expected: string): RequestError =>
  new RequestError(400, `Invalid value ${sent} for ${parameter}: expected ${expected}.`);
