import type { Response } from "express";
import type { Operation } from "../../generated/operations.gen.ts";
import { activeRequest } from "../lib/active-request.ts";
import { type Admission, weightOf } from "./admission.ts";
import { failures } from "./errors.ts";
import type { KeyLimiter } from "./key-limits.ts";
import type { ActiveKey } from "./keys.ts";
import { recordOf } from "./request-record.ts";

/** Admits a request whose key is known to its resolver: by the limits of the key, and then by the queue of all requests. @throws {HttpError} 429 or 503 */
export type Gate = (operation: Operation, key: ActiveKey, response: Response) => Promise<void>;

/**
 * Creates the gate. The request's record ends what it admits: the processing when the response starts, and the usage of the key with the last statement.
 * The bytes of all responses that clients have not read are bounded.
 */
export function createGate(keyLimits: KeyLimiter, admission: Admission, maxBufferedBytes: number): Gate {
  let buffered = 0;
  return async (operation, key, response) => {
    const record = recordOf(response);
    const signal = activeRequest()?.signal ?? AbortSignal.any([]);
    // A request that ended while its key was looked up would never end its use of the key.
    signal.throwIfAborted();
    const { headers, holdBytes, end } = keyLimits.admit(key);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    let leave: (() => void) | undefined;
    let isProcessed = false;
    const endProcessing = (): void => {
      isProcessed = true;
      leave?.();
      leave = undefined;
    };
    let held = 0;
    record.admitted = {
      holdBytes(bytes) {
        // A response of any size is allowed if it is the only one.
        if (buffered > 0 && buffered + bytes > maxBufferedBytes) throw failures.overloaded();
        holdBytes(bytes);
        buffered += bytes;
        held += bytes;
      },
      endProcessing,
      end(databaseMilliseconds) {
        endProcessing();
        buffered -= held;
        held = 0;
        end(databaseMilliseconds);
      },
    };
    leave = await admission.enter(weightOf(operation), signal);
    // The request may have ended in the meantime.
    if (isProcessed) endProcessing();
  };
}
