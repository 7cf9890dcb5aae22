import { setTimeout } from "node:timers/promises";
import type { ServedResponse } from "../support/openapi-validator.ts";

/** A response with its status and headers. */
export interface Called extends ServedResponse {
  readonly text: string;
  readonly headers: Headers;
}

/** Creates a `fetch` that waits for `Retry-After` when the shared key reaches its rate limit. */
export function createRetryingFetch(once: typeof fetch): typeof fetch {
  const retrying: typeof fetch = async (input, init) => {
    const response = await once(input, init);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    await setTimeout(1000 * Number(response.headers.get("retry-after") ?? "1"));
    return retrying(input, init);
  };
  return retrying;
}

/** Requests targets of a server with a key. */
export function createCaller(base: string, key: string) {
  const retryingFetch = createRetryingFetch(fetch);
  return async (target: string, init: RequestInit = {}): Promise<Called> => {
    const response = await retryingFetch(base + target, { headers: { authorization: `Bearer ${key}` }, ...init });
    const text = await response.text();
    const contentType = response.headers.get("content-type") ?? "";
    const body: unknown = contentType.startsWith("application/json") ? JSON.parse(text) : text;
    return { status: response.status, contentType, body, text, headers: response.headers };
  };
}
