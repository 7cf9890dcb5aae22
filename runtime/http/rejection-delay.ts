import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { networkOf } from "./address-limits.ts";
import type { ConnectionInfo } from "./connection-info.ts";
import { recordOf } from "./request-record.ts";
import { createWindowCounter } from "./window-counter.ts";

/** Waits before a response with status 429 is sent, if its client has received too many of them; undefined if it need not wait. */
export type RejectionDelay = (status: number, request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

/** Rejections per client and second that are sent immediately: more than a client receives that sends less after the first ones. */
const maxImmediate = 50;
const windowSeconds = 1;
const intervalMilliseconds = 5;
const maxMilliseconds = 1_000;

/**
 * Creates the delay of rejections: a client that ignores them would otherwise send its next requests immediately, and occupy the event loop with
 * thousands of rejections per second. Each rejection of a key or network above 50 per second is sent 5 ms later than the one before it, and at most
 * one second late. Each connection has at most one that waits: pipelined responses wait behind it, and node:http stops reading while they do.
 */
export function createRejectionDelay(connectionInfoOf: (request: IncomingMessage) => ConnectionInfo): RejectionDelay {
  const rejections = createWindowCounter(windowSeconds);
  const waiting = new WeakSet<Socket>();
  return (status, request, response) => {
    if (status !== 429) return undefined;
    const { keyId } = recordOf(response);
    const client = keyId === undefined ? networkOf(connectionInfoOf(request).ip ?? "") : `key ${keyId}`;
    const milliseconds = Math.min(maxMilliseconds, (rejections.add(client).count - maxImmediate) * intervalMilliseconds);
    if (milliseconds <= 0 || waiting.has(request.socket)) return undefined;
    waiting.add(request.socket);
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        response.off("close", finish);
        waiting.delete(request.socket);
        resolve();
      };
      const timer = setTimeout(finish, milliseconds);
      response.once("close", finish);
    });
  };
}
