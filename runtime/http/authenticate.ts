import type { AddressLimits } from "./address-limits.ts";
import { readKey } from "./credentials.ts";
import { failures, HttpError } from "./errors.ts";
import type { KeyCache } from "./key-cache.ts";
import type { ActiveKey } from "./keys.ts";
import type { Query } from "./query.ts";

/** The parts of a request that identify its sender. */
export interface Sender {
  readonly authorization: string | undefined;
  readonly query: Query;
  readonly address: string;
}

export interface AuthenticateDeps {
  readonly keys: KeyCache;
  readonly addressLimits: Pick<AddressLimits, "checkFailures" | "countFailure">;
}

/** Finds the key of a request. Rejects with 401, or with 429 after too many requests without a valid key from one address. */
export type Authenticate = (sender: Sender) => Promise<ActiveKey>;

/** Creates the authentication of requests. */
export function createAuthenticate({ keys, addressLimits }: AuthenticateDeps): Authenticate {
  return async ({ authorization, query, address }) => {
    try {
      const lookup = keys.find(readKey(authorization, query), () => addressLimits.checkFailures(address));
      // Most keys are cached.
      const found = lookup instanceof Promise ? await lookup : lookup;
      if (found === null) throw failures.keyUnknown();
      return found;
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) {
        addressLimits.checkFailures(address);
        addressLimits.countFailure(address);
      }
      throw error;
    }
  };
}
