import { setTimeout } from "node:timers/promises";
import type { ServedResponse } from "../support/openapi-validator.ts";

/** A response with its status and headers. */
export interface CalledResponse extends ServedResponse {
  readonly text: string;
  readonly headers: Headers;
}

/** Wraps `fetch`: waits for `Retry-After` and repeats the request if the shared key has reached its rate limit. */
export function createRetryingFetch(original: typeof fetch): typeof fetch {
  const retrying: typeof fetch = async (input, init) => {
    const response = await original(input, init);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    await setTimeout(1000 * Number(response.headers.get("retry-after") ?? "1"));
    return retrying(input, init);
  };
  return retrying;
}

/** Creates a function that requests a target of a server with a key. */
export function createCaller(base: string, key: string) {
  const retryingFetch = createRetryingFetch(fetch);
  return async (target: string, init: RequestInit = {}): Promise<CalledResponse> => {
    const response = await retryingFetch(base + target, { headers: { authorization: `Bearer ${key}` }, ...init });
    const text = await response.text();
    const contentType = response.headers.get("content-type") ?? "";
    const body: unknown = contentType.startsWith("application/json") ? JSON.parse(text) : text;
    return { status: response.status, contentType, body, text, headers: response.headers };
  };
}
