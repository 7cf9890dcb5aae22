import { setMaxListeners } from "node:events";
import type { ServerResponse } from "node:http";
import type { ActiveRequest } from "../lib/active-request.ts";
import type { Span } from "../lib/tracing.ts";
import { failures } from "./errors.ts";

/**
 * Creates the active request of a response. It aborts when its deadline passes or the client disconnects. `onEnd` is called once, when the response is
 * closed and no statement is running, with the statements' total time in milliseconds; statements that start later are not counted.
 */
export function createActiveRequest(
  response: ServerResponse,
  milliseconds: number,
  onEnd: (statementMilliseconds: number) => void = () => undefined,
  span?: Span,
): ActiveRequest {
  const controller = new AbortController();
  const { signal } = controller;
  // One listener for each running statement.
  setMaxListeners(0, signal);
  const timer = setTimeout(() => controller.abort(failures.deadlinePassed(milliseconds)), milliseconds);
  let running = 0;
  let sum = 0;
  let isClosed = false;
  let isEnded = false;
  const endIfIdle = (): void => {
    if (!isClosed || running > 0 || isEnded) return;
    isEnded = true;
    onEnd(sum);
  };
  const { socket } = response.req;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(timer);
    socket.off("close", close);
    if (!response.writableFinished) controller.abort(failures.clientGone());
    endIfIdle();
  };
  // A pipelined response that waits behind another one emits no close event when the connection closes.
  socket.once("close", close);
  response.once("close", close);
  return {
    signal,
    span,
    startStatement() {
      const start = performance.now();
      running += 1;
      return () => {
        sum += performance.now() - start;
        running -= 1;
        endIfIdle();
      };
    },
  };
}
