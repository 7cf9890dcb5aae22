import express, { type ErrorRequestHandler, type Express, type NextFunction, type Request, type Response, Router } from "express";
import helmet from "helmet";
import type { Logger } from "pino";
import { z } from "zod";
import type { DatabaseNameOfChain } from "../config/database-config.ts";
import type { Database } from "../database/database.ts";
import { redactMessage } from "../http/redact.ts";
import { isSameOriginRequest } from "../http/same-origin-request.ts";
import { listActions } from "../operator/actions.ts";
import { createChainActions, findChain, listChains, readChain } from "./api/chains.ts";
import { createKey, listKeys, revokeKey, updateKey } from "./api/keys.ts";
import { parseFilter, readUsage, readUsageCsv } from "./api/usage.ts";
import type { Asset } from "./assets.ts";
import { ConsoleError, parseWith } from "./errors.ts";
import type { LogItem, SessionResponse } from "./responses.ts";
import { createSessions, type Session, sessionSeconds } from "./sessions.ts";
import { createSignInLimit } from "./sign-in-limit.ts";
import type { ChainStore } from "./stored-chain.ts";
import { createChainTasks, type RunAudit } from "./tasks.ts";

export interface ConsoleDeps {
  /** For sessions, keys and queries. */
  readonly database: Database;
  /** For actions on chains, whose statements have no timeout. */
  readonly indexing: Database;
  /** The configured `databases`. */
  readonly shards: readonly ChainStore[];
  readonly databaseNameOf: DatabaseNameOfChain;
  readonly logger: Logger;
  /** The pages' files, by path below /console/. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** The URL of the proxy in front of the console. */
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly audit: RunAudit;
  readonly now: () => Date;
}

const bodyBytes = "32kb";
const maxActions = 100;

/** The pages' content security policy: everything is loaded from this server, and nothing is inline. */
const securityHeaders = (isSecure: boolean) =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "connect-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
        "require-trusted-types-for": ["'script'"],
      },
    },
    crossOriginResourcePolicy: { policy: "same-origin" },
    referrerPolicy: { policy: "no-referrer" },
    xFrameOptions: { action: "deny" },
    strictTransportSecurity: isSecure,
  });

/** Creates the console's application: its pages, and the API that they call with a session cookie. */
export function createConsoleApp(deps: ConsoleDeps): Express {
  const { publicUrl, assets, logger } = deps;
  const isSecure = publicUrl?.startsWith("https:") ?? false;
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("strict routing", true);
  app.set("case sensitive routing", true);
  app.set("query parser", "simple");
  app.set("trust proxy", deps.trustedProxies.length === 0 ? false : [...deps.trustedProxies]);
  app.use(securityHeaders(isSecure));
  app.use((request, response, next) => {
    response.setHeader("Cache-Control", "no-store");
    // Rejects other domains that resolve to this server (DNS rebinding), and requests from other sites' pages (CSRF).
    if (request.path.startsWith("/console/api/") && !isSameOriginRequest(request, publicUrl))
      throw new ConsoleError(403, "Only the console's own pages may use its API: open the console at its configured URL.");
    next();
  });
  app.get("/", (_request, response) => response.redirect(302, "/console/"));
  app.get("/console", (_request, response) => response.redirect(302, "/console/"));
  app.get("/console/{:file}", (request, response, next) => {
    const asset = assets.get(request.params.file ?? "");
    if (asset === undefined) return next();
    response.type(asset.contentType);
    return response.send(asset.body);
  });
  app.use("/console/api", createApi(deps, isSecure));
  app.use((request) => {
    throw new ConsoleError(404, `No page ${JSON.stringify(request.path.slice(0, 200))}; the console is at /console/.`);
  });
  const handleError: ErrorRequestHandler = (error, _request, response, _next) => fail(error, response, logger);
  app.use(handleError);
  return app;
}

function fail(error: unknown, response: Response, logger: Logger): void {
  if (response.headersSent) return void response.destroy();
  const status = error instanceof ConsoleError ? error.status : statusOf(error);
  if (status >= 500) logger.error({ reason: redactMessage(String(error)) }, "A console request failed");
  const message =
    error instanceof ConsoleError ? error.message : status < 500 ? "Invalid request." : "The request failed; the log has the reason.";
  response.status(status).json({ error: message });
}

/** Errors thrown by body-parser and Express contain their response status. */
const statusOf = (error: unknown): number => {
  const { status } = error as { readonly status?: unknown };
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
};

const signIn = z.strictObject({ token: z.string("the token of a link that ashlar console login printed") });
const idText = "the id of a key";
const keyId = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, idText)
  .transform(Number);
const logQuery = z.strictObject({
  before: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, "the id of an action")
    .transform(Number)
    .optional(),
});

function createApi({ database, indexing, shards, databaseNameOf, logger, audit, now }: ConsoleDeps, isSecure: boolean): Router {
  const sessions = createSessions(database);
  const limit = createSignInLimit();
  const describe = (error: unknown): string => redactMessage(error instanceof Error ? error.message : String(error));
  const tasks = createChainTasks(indexing, audit, describe, now);
  const actions = createChainActions(tasks);
  const locations = { stores: [{ name: null, database, indexing }, ...shards], databaseNameOf };
  const cookies = sessionCookie(isSecure);
  const router = Router({ caseSensitive: true, strict: true });

  router.use((request, _response, next) => {
    // Neither a form nor a simple cross-site request can have this type.
    if (request.method !== "GET" && !request.is("application/json"))
      throw new ConsoleError(415, "Expected a body of type application/json.");
    next();
  });
  router.use(express.json({ limit: bodyBytes, strict: true }));

  router.post("/session", async (request, response) => {
    const address = request.ip ?? "";
    limit.check(address);
    const { token } = parseWith(signIn, request.body);
    const opened = await sessions.open(token);
    if (opened === null) {
      limit.countFailure(address);
      logger.warn({ address }, "A sign-in to the console failed");
      throw new ConsoleError(401, "The link is not valid, was used before, or has expired: create another link with ashlar console login.");
    }
    cookies.set(response, opened.token);
    response.json(toResponse(opened.session));
  });

  const sessionOf = new WeakMap<Request, Session>();
  router.use(async (request: Request, response: Response, next: NextFunction) => {
    const token = cookies.get(request);
    const found = token === null ? null : await sessions.find(token);
    if (found === null) throw new ConsoleError(401, "Not signed in, or the session has ended: open a link from ashlar console login.");
    if (found.newToken !== null) cookies.set(response, found.newToken);
    sessionOf.set(request, found.session);
    next();
  });
  const session = (request: Request): Session => {
    const found = sessionOf.get(request);
    if (found === undefined) throw new Error("The request has no session: the middleware that requires one did not run.");
    return found;
  };
  const actor = (request: Request): string => `${session(request).actor} (console)`;

  router.get("/session", (request, response) => response.json(toResponse(session(request))));
  router.post("/session/end", async (request, response) => {
    await sessions.end(session(request));
    cookies.clear(response);
    response.json({ message: "Signed out." });
  });
  router.get("/keys", async (_request, response) => response.json(await listKeys(database)));
  router.post("/keys", async (request, response) => response.status(201).json(await createKey(database, request.body, actor(request))));
  router.post("/keys/:id", async (request, response) => {
    await updateKey(database, parseWith(keyId, request.params.id), request.body, actor(request));
    response.json({ message: "Saved: servers apply the change within 5 seconds." });
  });
  router.post("/keys/:id/revoke", async (request, response) => {
    await revokeKey(database, parseWith(keyId, request.params.id), actor(request));
    response.json({ message: "Revoked: servers refuse the key within 5 seconds." });
  });
  router.get("/usage", async (request, response) => response.json(await readUsage(database, parseFilter(request.query))));
  router.get("/usage.csv", async (request, response) => {
    const csv = await readUsageCsv(database, parseFilter(request.query));
    response.type("text/csv").attachment("usage.csv").send(csv);
  });
  router.get("/chains", async (_request, response) => response.json(await listChains(locations)));
  router.get("/chains/:name", async (request, response) => response.json(await readChain(locations, request.params.name, tasks)));
  router.post("/chains/:name/:action", async (request, response) => {
    const { name, action } = request.params;
    const work = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (work === undefined)
      throw new ConsoleError(
        404,
        `Unknown action ${JSON.stringify(action.slice(0, 100))}: expected one of ${Object.keys(actions).join(", ")}.`,
      );
    response.json({ message: await work(await findChain(locations, name), request.body, actor(request)) });
  });
  router.get("/log", async (request, response) => {
    const { before } = parseWith(logQuery, request.query);
    const items: LogItem[] = (await listActions(database, maxActions, before)).map((row) => ({ ...row, time: row.time.toISOString() }));
    response.json(items);
  });
  return router;
}

const toResponse = ({ actor, endsAt }: Session): SessionResponse => ({ actor, endsAt: endsAt.toISOString() });

/** The session cookie (RFC 6265bis); with its prefix, browsers reject a cookie that was not set by a secure page. */
function sessionCookie(isSecure: boolean) {
  const name = `${isSecure ? "__Secure-" : ""}ashlar-console`;
  const options = { httpOnly: true, sameSite: "strict", secure: isSecure, path: "/console/api" } as const;
  const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{1,100})(?:;|$)`);
  return {
    get: ({ headers }: Request): string | null => pattern.exec(headers.cookie ?? "")?.[1] ?? null,
    set: (response: Response, token: string): void =>
      void response.cookie(name, token, { ...options, maxAge: sessionSeconds.total * 1_000 }),
    clear: (response: Response): void => void response.clearCookie(name, options),
  };
}
