import type { Chain } from "../../generated/requests.gen.ts";
import type { AddressLimits } from "./address-limits.ts";
import { readKey } from "./credentials.ts";
import { failures, HttpError } from "./errors.ts";
import { checkAccess } from "./key-access.ts";
import type { KeyCache } from "./key-cache.ts";
import type { ActiveKey } from "./keys.ts";
import type { Query } from "./query.ts";

/** The parts of a request that identify its sender. */
export interface Sender {
  readonly authorization: string | undefined;
  readonly query: Query;
  readonly address: string;
  readonly origin: string | undefined;
  /** See `AccessRequest`. */
  readonly chain: () => Chain | null | undefined;
}

export interface AuthenticateDeps {
  readonly keys: KeyCache;
  readonly addressLimits: Pick<AddressLimits, "checkFailures" | "countFailure">;
  readonly now: () => Date;
}

/**
 * Finds a request's key and checks its rules. Returns the key synchronously if it is cached, otherwise a promise. @throws {HttpError} 401 or
 * 403, or 429 after too many requests without a valid key from one address.
 */
export type Authenticate = (sender: Sender) => ActiveKey | Promise<ActiveKey>;

/** Creates the authenticator for requests. */
export function createAuthenticate({ keys, addressLimits, now }: AuthenticateDeps): Authenticate {
  const check = (found: ActiveKey | null, sender: Sender): ActiveKey => {
    if (found === null) throw failures.keyUnknown();
    checkAccess(found, sender, now);
    return found;
  };
  const reject = (error: unknown, { address }: Sender): never => {
    if (error instanceof HttpError && (error.status === 401 || error.status === 403)) {
      addressLimits.checkFailures(address);
      addressLimits.countFailure(address);
    }
    throw error;
  };
  return (sender) => {
    const { authorization, query, address } = sender;
    try {
      const lookup = keys.find(readKey(authorization, query), () => addressLimits.checkFailures(address));
      if (!(lookup instanceof Promise)) return check(lookup, sender);
      return lookup.then((found) => check(found, sender)).catch((error: unknown) => reject(error, sender));
    } catch (error) {
      return reject(error, sender);
    }
  };
}
