import type { IncomingMessage, ServerResponse } from "node:http";
import type { Database } from "../../database/database.ts";
import { activeRequest } from "../../lib/active-request.ts";
import type { Authenticate } from "../authenticate.ts";
import type { ConnectionInfo } from "../connection-info.ts";
import { sendJson, successBody } from "../envelope.ts";
import type { Gate } from "../gate.ts";
import type { KeyMeter } from "../key-meter.ts";
import { enforceRateLimit } from "../rate-limit-headers.ts";
import { recordOf } from "../request-record.ts";
import { readAccountUsage } from "./usage.ts";

/** The path of the endpoint that returns the usage of the request's key. */
export const accountPath = "/account/usage";

export interface AccountDeps {
  readonly database: Pick<Database, "query">;
  readonly authenticate: Authenticate;
  readonly connectionInfoOf: (request: IncomingMessage) => ConnectionInfo;
  readonly meter: Pick<KeyMeter, "admit">;
  readonly gate: Gate;
  readonly now: () => Date;
}

/** Creates the handler. The endpoint costs no credits, so that a key whose credits are used up can read it, but counts against the rate limit. */
export function createAccountUsageHandler(deps: AccountDeps): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const record = recordOf(response);
    record.operation = "getAccountUsage";
    response.setHeader("X-Credits", "0");
    const { authorization, origin } = request.headers;
    const address = deps.connectionInfoOf(request).ip ?? "";
    const key = await deps.authenticate({ authorization, query: record.query, address, origin, chain: () => undefined });
    record.keyId = key.id;
    const metered = await deps.meter.admit(key);
    enforceRateLimit(response, metered.window);
    // The meter does not count a request as running if the key has no credits.
    if (metered.exhaustedCredits === null) deps.gate(key, metered, response);
    const active = activeRequest();
    if (active !== undefined) active.keyId = key.id;
    sendJson(response, 200, successBody(await readAccountUsage(deps.database, key, deps.now())));
  };
}
