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
  const signal = AbortSignal.timeout(timeoutMilliseconds);
  const response = await fetch(`/console/api/${path}`, { ...init, signal }).catch(reportUnreachable);
  const text = await response.text().catch(reportUnreachable);
  if (response.status === 401) onSignedOut();
  const body = parseBody<T & { readonly error?: string }>(text, response.status);
  if (!response.ok) throw new ApiError(response.status, body.error ?? `The request failed with status ${response.status}.`);
  return body;
}

function reportUnreachable(error: unknown): never {
  throw new ApiError(
    0,
    error instanceof Error && error.name === "TimeoutError"
      ? `The console did not respond within ${timeoutMilliseconds / 1_000} s; try again.`
      : "The console cannot be reached; check that ashlar start or ashlar serve is running.",
  );
}

/** Parses a JSON object. A proxy in front of the console may respond with anything else. */
function parseBody<T>(text: string, status: number): T {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null) return body as T;
  } catch {
    // Reported below.
  }
  throw new ApiError(status, `The response with status ${status} is not a JSON object.`);
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
