import { AsyncLocalStorage } from "node:async_hooks";
import { abortable } from "./async.ts";
import type { Span } from "./tracing.ts";

/** What layers below the resolvers need to know about the request being served. */
export interface ActiveRequest {
  /** Aborts when the request's deadline passes or its client disconnects. Its reason is the request's error. */
  readonly signal: AbortSignal;
  /** The id of its key, once it is known; a server's capacity is shared fairly among keys. */
  keyId?: number | undefined;
  /** The span of the request, if it is traced. */
  readonly span?: Span | undefined;
  /** The chains whose content its response is computed from, once they are known; undefined if it may be any chain. */
  chainIds?: readonly number[] | undefined;
  /** Reports the start of a statement; the returned function reports its end. */
  startStatement(): () => void;
}

const storage = new AsyncLocalStorage<ActiveRequest | undefined>();

/** Runs work for a request: all code that it calls, including asynchronous code, has this active request. */
export const runForRequest = <T>(request: ActiveRequest, work: () => T): T => storage.run(request, work);

/** The request that the caller works for; undefined outside requests. */
export const activeRequest = (): ActiveRequest | undefined => storage.getStore();

/** Runs work that several requests share: it belongs to none of them, so that it continues if the request that started it aborts. */
export const runDetached = <T>(work: () => T): T => storage.run(undefined, work);

/** The result of shared work; rejects as soon as the caller's request aborts. */
export const untilAborted = <T>(result: Promise<T>): Promise<T> => {
  const request = activeRequest();
  return request === undefined ? result : abortable(request.signal, result);
};
