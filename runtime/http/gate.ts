import type { ServerResponse } from "node:http";
import { activeRequest } from "../lib/active-request.ts";
import { failures } from "./errors.ts";
import type { KeyLimiter } from "./key-limits.ts";
import type { MeteredRequest } from "./key-meter.ts";
import type { ActiveKey } from "./keys.ts";
import { recordOf } from "./request-record.ts";

/** Admits an authenticated request by its key's limits. @throws {HttpError} 429 */
export type Gate = (
  key: Pick<ActiveKey, "id" | "limits">,
  metered: Pick<MeteredRequest, "usage" | "exceeded">,
  response: ServerResponse,
) => void;

/**
 * Creates the gate. A request stops counting towards its key's limits after its last statement. The total number of response bytes that clients have
 * not read is bounded.
 */
export function createGate(keyLimits: KeyLimiter, maxBufferedBytes: number): Gate {
  let buffered = 0;
  return (key, metered, response) => {
    const { headers, holdBytes, end } = keyLimits.admit(key, metered);
    const signal = activeRequest()?.signal;
    if (signal?.aborted === true) {
      // The request was aborted while it was being counted: nothing else would end its use of the key.
      end(0);
      throw signal.reason;
    }
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    let held = 0;
    recordOf(response).admitted = {
      holdBytes(bytes) {
        // A response of any size is allowed if it is the only one.
        if (buffered > 0 && buffered + bytes > maxBufferedBytes) throw failures.overloaded();
        holdBytes(bytes);
        buffered += bytes;
        held += bytes;
      },
      end(databaseMilliseconds) {
        buffered -= held;
        held = 0;
        end(databaseMilliseconds);
      },
    };
  };
}
