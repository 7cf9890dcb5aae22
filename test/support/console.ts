import { pino } from "pino";
import type { DatabaseNameOfChain } from "../../runtime/config/database-config.ts";
import { createConsoleApp } from "../../runtime/console/app.ts";
import { loadAssets } from "../../runtime/console/assets.ts";
import { openConsoleListener } from "../../runtime/console/listener.ts";
import { createSignInToken } from "../../runtime/console/sessions.ts";
import type { ChainStore } from "../../runtime/console/stored-chain.ts";
import type { RunAudit } from "../../runtime/console/tasks.ts";
import type { Database } from "../../runtime/database/database.ts";

export interface TestConsoleOptions {
  readonly publicUrl?: string;
  readonly audit?: RunAudit;
  readonly shards?: readonly ChainStore[];
  readonly databaseNameOf?: DatabaseNameOfChain;
  readonly log?: (line: string) => void;
}

/** A console that listens on a free loopback port. */
export interface TestConsole {
  readonly url: string;
  /** Signs in with a new link and returns the cookie. */
  signIn(): Promise<string>;
  /** Sends a request as a console page does. */
  send(
    path: string,
    options?: { readonly cookie?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Response>;
  close(): void;
}

/** The name and value of the cookie that a response sets. */
export const cookieOf = (response: Response): string => (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

/** Starts a console. */
export async function startTestConsole(
  database: Database,
  { publicUrl, audit, shards = [], databaseNameOf = () => undefined, log = () => undefined }: TestConsoleOptions = {},
): Promise<TestConsole> {
  const app = createConsoleApp({
    shards,
    databaseNameOf,
    database,
    indexing: database,
    logger: pino({}, { write: log }),
    assets: await loadAssets(),
    publicUrl,
    trustedProxies: [],
    audit: audit ?? (() => Promise.reject(new Error("This test console cannot run audits."))),
    now: () => new Date(),
  });
  const listener = await openConsoleListener(app, { host: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.address.port}`;
  const send: TestConsole["send"] = (path, { cookie, body, headers = {} } = {}) =>
    fetch(`${url}/console/api/${path}`, {
      signal: AbortSignal.timeout(10_000),
      ...(body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) }),
      headers: {
        ...(body === undefined ? {} : { "Content-Type": "application/json" }),
        ...(cookie === undefined ? {} : { Cookie: cookie }),
        ...headers,
      },
    });
  return {
    url,
    send,
    async signIn() {
      const { token } = await createSignInToken(database, "operator@test");
      return cookieOf(await send("session", { body: { token } }));
    },
    close: listener.close,
  };
}
