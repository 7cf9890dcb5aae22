import { setMaxListeners } from "node:events";
import { type ActiveRequest, activeRequest, runForRequest, untilAborted } from "../../lib/active-request.ts";

/** A result, and whether it was computed for an earlier call. */
export interface Shared<Result> {
  readonly result: Result;
  readonly isShared: boolean;
}

interface Flight<Result> {
  readonly result: Promise<Result>;
  readonly controller: AbortController;
  /** The calls that wait, with their requests. */
  readonly waiting: Map<symbol, ActiveRequest | undefined>;
  isSettled: boolean;
}

const ignore = (): void => undefined;

/**
 * Computes a result for all waiting requests, with the first request's API key: its statements count towards one waiting request, and are cancelled when no
 * request waits.
 */
function startFlight<Result>(compute: () => Promise<Result>): Flight<Result> {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const waiting: Flight<Result>["waiting"] = new Map();
  const startStatement = (): (() => void) => {
    for (const request of waiting.values()) if (request?.signal.aborted === false) return request.startStatement();
    return ignore;
  };
  const first = activeRequest();
  const shared: ActiveRequest = {
    signal: controller.signal,
    keyId: first?.keyId,
    span: first?.span,
    chainIds: first?.chainIds,
    startStatement,
  };
  // Starts after the first call has been registered as waiting.
  const result = Promise.resolve().then(() => runForRequest(shared, compute));
  return { result, controller, waiting, isSettled: false };
}

/**
 * Creates a function that computes a key's result once for all calls that arrive while it is computed. A failure rejects all of them, and is
 * not cached. If a request aborts, its call stops waiting; the others still receive the result.
 */
export function createSingleFlight<Result>(): (key: string, compute: () => Promise<Result>) => Promise<Shared<Result>> {
  const flights = new Map<string, Flight<Result>>();
  const start = (key: string, compute: () => Promise<Result>): Flight<Result> => {
    const flight = startFlight(compute);
    const settle = (): void => {
      flight.isSettled = true;
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(settle, () => {
      settle();
      // Cancels statements in other branches of the computation.
      flight.controller.abort(new Error("The computation of the result failed."));
    });
    flights.set(key, flight);
    return flight;
  };
  return async (key, compute) => {
    const running = flights.get(key);
    const flight = running ?? start(key, compute);
    const call = Symbol("call");
    flight.waiting.set(call, activeRequest());
    try {
      return { result: await untilAborted(flight.result), isShared: running !== undefined };
    } finally {
      flight.waiting.delete(call);
      if (flight.waiting.size === 0 && !flight.isSettled) {
        // Later calls compute the result again instead of failing with this one.
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort(new Error("No request waits for the result."));
      }
    }
  };
}
