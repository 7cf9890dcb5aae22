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
  const find = async ({ authorization, query, address }: Sender): Promise<ActiveKey> => {
    const key = readKey(authorization, query);
    const found = await keys.find(key, async () => addressLimits.checkFailures(address));
    if (found === null) throw failures.keyUnknown();
    return found;
  };
  return async (sender) => {
    try {
      return await find(sender);
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) {
        addressLimits.checkFailures(sender.address);
        addressLimits.countFailure(sender.address);
      }
      throw error;
    }
  };
}
