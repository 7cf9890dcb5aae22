/** A failure that the request caused: its status and a sentence that may be shown to whoever sent it. */
export class RequestError extends Error {
  readonly status: 400 | 402 | 404 | 501;
  override readonly name = "RequestError";

  constructor(status: RequestError["status"], message: string) {
    super(message);
    this.status = status;
  }
}

/** An entity that the index does not have. */
export const notFound = (what: string, sent: string, chainName: string): RequestError =>
  new RequestError(404, `${what} ${sent} is not on ${chainName} as far as it is indexed.`);

/** A value of the right form that this chain's index cannot answer. */
export const notAcceptable = (parameter: string, sent: string, accepted: string): RequestError =>
  new RequestError(400, `Parameter ${parameter}: ${sent} was sent, ${accepted} is accepted.`);
