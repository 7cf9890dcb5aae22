import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { Operation } from "../../generated/operations.gen.ts";
import type { AddressLimits } from "./address-limits.ts";
import type { ConnectionInfo } from "./connection-info.ts";
import { failureBody, failureEnvelope, sendJson } from "./envelope.ts";
import { type Failure, HttpError, toFailure } from "./errors.ts";
import { logFailure } from "./failure-log.ts";
import { redact } from "./redact.ts";
import type { RejectionDelay } from "./rejection-delay.ts";
import { recordOf } from "./request-record.ts";
import type { Validation } from "./validation/validation.ts";

/** Responds to a request that failed. */
export type FailureHandler = (error: unknown, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Sends every failure in the envelope; a response that has already started can only be aborted. */
export function createFailureHandler(
  logger: Logger,
  statementMilliseconds: number,
  validation: Validation,
  operations: ReadonlyMap<string, Operation>,
  addressLimits: Pick<AddressLimits, "countFailure">,
  connectionInfoOf: (request: IncomingMessage) => ConnectionInfo,
  delayRejection: RejectionDelay,
): FailureHandler {
  return async (error, request, response) => {
    const record = recordOf(response);
    const { id, operation } = record;
    if (error instanceof HttpError) record.exceededLimit = error.exceededLimit;
    const original = toFailure(error, id, statementMilliseconds);
    // Failed authentications have already been counted.
    if (operation === undefined && original.status < 429) addressLimits.countFailure(connectionInfoOf(request).ip ?? "");
    if (original.isUnexpected) logFailure(logger, id, original.status, error);
    await delayRejection(original.status, request, response);
    if (response.destroyed) return;
    if (response.headersSent) {
      request.socket.destroy();
      return;
    }
    const failure = await checkFailure(original, id, operations.get(operation ?? ""), validation).catch((violation) =>
      toFailure(violation, id, statementMilliseconds),
    );
    for (const [name, value] of Object.entries(failure.headers)) response.setHeader(name, value);
    sendJson(response, failure.status, failureBody(failure.status, redact(failure.message)));
  };
}

async function checkFailure(
  failure: Failure,
  requestId: string,
  operation: Operation | undefined,
  validation: Validation,
): Promise<Failure> {
  if (operation === undefined) return failure;
  const body = failureEnvelope(failure.status, redact(failure.message));
  await validation.checkResponse({ operation, requestId, status: failure.status, body });
  return failure;
}
