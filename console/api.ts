/** An error response from the console's API. */
export class ApiError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const timeoutMilliseconds = 20_000;

async function request<T>(path: string, init: RequestInit): Promise<T> {
  const response = await fetch(`/console/api/${path}`, { ...init, signal: AbortSignal.timeout(timeoutMilliseconds) }).catch(
    (error: unknown) => {
      throw new ApiError(
        0,
        error instanceof Error && error.name === "TimeoutError"
          ? `The console did not respond within ${timeoutMilliseconds / 1_000} s; try again.`
          : "The console cannot be reached; check that ashlar start or ashlar serve is running.",
      );
    },
  );
  const body = (await response.json().catch(() => null)) as (T & { readonly error?: string }) | null;
  if (response.status === 401) onSignedOut();
  if (body === null) throw new ApiError(response.status, `The response with status ${response.status} is not JSON.`);
  if (!response.ok) throw new ApiError(response.status, body.error ?? `The request failed with status ${response.status}.`);
  return body;
}

let onSignedOut: () => void = () => undefined;

/** Sets the listener that is called when a response has status 401, which means that there is no session. */
export const listenForSignOut = (listener: () => void): void => {
  onSignedOut = listener;
};

/** Reads from the API. @throws {ApiError} */
export const get = <T>(path: string): Promise<T> => request<T>(path, {});

/** Sends a change to the API. @throws {ApiError} */
export const post = <T = { readonly message: string }>(path: string, body: unknown = {}): Promise<T> =>
  request<T>(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
