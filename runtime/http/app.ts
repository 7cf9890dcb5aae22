import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import type { Logger } from "pino";
import type { Handlers } from "../../generated/handlers.gen.ts";
import { type Operation, operations } from "../../generated/operations.gen.ts";
import type { Chain } from "../../generated/requests.gen.ts";
import { type Run, registerRoutes } from "../../generated/routes.gen.ts";
import { validators } from "../../generated/validators.gen.js";
import type { CacheSettings, RequestLimits } from "../config/limits.ts";
import type { Database } from "../database/database.ts";
import type { PrimaryOutage } from "../database/primary-outage.ts";
import { runForRequest } from "../lib/active-request.ts";
import type { Span, Tracer } from "../lib/tracing.ts";
import type { GroupedChain } from "../parameters/restriction.ts";
import { documentAccount } from "./account/document.ts";
import { accountPath, createAccountUsageHandler } from "./account/usage-handler.ts";
import { createAddressLimits } from "./address-limits.ts";
import { type Admission, createAdmission } from "./admission.ts";
import { type AnchorStores, createStoredAnchors } from "./anchor-stores.ts";
import type { Anchors } from "./anchors.ts";
import { type Authenticate, createAuthenticate } from "./authenticate.ts";
import { responseCodecs } from "./compression/codecs.ts";
import { type Compression, createCompression } from "./compression/compression.ts";
import type { RequestScope } from "./compute-response.ts";
import { type ConnectionInfo, createConnectionInfoReader } from "./connection-info.ts";
import { createActiveRequest } from "./create-active-request.ts";
import { createEndpointRouter, type EndpointHandler, type EndpointRouter } from "./endpoint-router.ts";
import { failures } from "./errors.ts";
import { createFailureHandler } from "./failure-handler.ts";
import { createGate, type Gate } from "./gate.ts";
import { createHandlerFactory, type PageDepthOf } from "./handler-factory.ts";
import { createCorsMiddleware, responseHeaders } from "./headers.ts";
import type { Readiness } from "./health.ts";
import { createIntake } from "./intake.ts";
import { type Clock, createKeyCache } from "./key-cache.ts";
import { createKeyLimiter } from "./key-limits.ts";
import { createKeyMeter, type KeyMeter } from "./key-meter.ts";
import type { KeyRequests } from "./key-requests.ts";
import { createKeys } from "./keys.ts";
import type { OpenApiDocument } from "./openapi-document.ts";
import { createParsersOf, type ParsersDeps } from "./parsers-of.ts";
import { createPathHint } from "./path-hint.ts";
import { createRejectionDelay } from "./rejection-delay.ts";
import type { RequestAnchorDeps } from "./request-anchor.ts";
import type { RequestCounts } from "./request-counts.ts";
import { createRequestLog } from "./request-log.ts";
import { recordOf } from "./request-record.ts";
import { endRequestSpan } from "./request-span.ts";
import { createResponseCache } from "./response-cache/response-cache.ts";
import { createUnkeyedPages } from "./unkeyed-pages.ts";
import { createValidation, type Validation, type ValidationMode } from "./validation/validation.ts";

/** The HTTP application's dependencies. */
export interface HttpDeps<Context> extends ParsersDeps {
  /** For keys and usage. */
  readonly database: Pick<Database, "query" | "transaction">;
  /** For page anchors; the same database by default. */
  readonly anchorStores?: AnchorStores;
  /** The max total weight of concurrent requests per database (see admission.ts); separate, so that a slow database does not block the others. */
  readonly capacities?: readonly number[];
  /** The index in `capacities` for a chain's database or, with null, for the database of requests without a chain; 0 by default. */
  readonly capacityOf?: (chainId: number | null) => number;
  readonly logger: Logger;
  readonly limits: RequestLimits;
  /** The chains, in the order in which error messages list them. */
  readonly chains: readonly GroupedChain[];
  readonly handlers: Handlers<Context>;
  /** Endpoints in addition to the catalog's, with their route handlers. */
  readonly addedEndpoints?: readonly AddedEndpoint<Context>[];
  readonly createContext: (scope: RequestScope) => Context;
  /** See `HandlerFactoryDeps`; pages of any number cost the same by default. */
  readonly pageDepth?: PageDepthOf;
  readonly head: RequestAnchorDeps["head"];
  readonly contentOfAll: RequestAnchorDeps["contentOfAll"];
  readonly chainOfProtocol: (protocol: string) => Chain | null;
  readonly readiness: () => Promise<Readiness>;
  readonly document: OpenApiDocument;
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
  /** The operator's names for the community protocols. */
  readonly protocolNames: Readonly<Record<string, string>>;
  /** In demo mode: the key that the documentation page fills in, and the story values of its examples. */
  readonly demo: { readonly key: string; readonly storyValues: Readonly<Record<string, string>> } | undefined;
  readonly validate: ValidationMode;
  /** Whether responses are compressed for clients that accept compression. */
  readonly compression: boolean;
  readonly cache: CacheSettings;
  readonly now: () => Date;
  /** Allows key lookups while the primary of `database` is lost; by default, they fail. */
  readonly outage?: PrimaryOutage | undefined;
  /** The clock that expires cached keys; the process's monotonic clock by default. */
  readonly clock?: Clock;
  /** Counts requests and credits; by default, in the memory of this process. */
  readonly meter?: KeyMeter | undefined;
  /** Counts requests for metrics; not counted by default. */
  readonly counts?: RequestCounts | undefined;
  /** Counts keys' requests for the console; not counted by default. */
  readonly keyRequests?: KeyRequests | undefined;
  /** Traces requests; not traced by default. */
  readonly tracer?: Tracer | undefined;
}

const defaultCapacity = 32;

/** An endpoint that the generated code does not contain. */
export interface AddedEndpoint<Context> {
  readonly operation: Operation;
  readonly createHandler: (run: Run<EndpointHandler, Context>) => EndpointHandler;
}

export interface HttpApp {
  readonly listener: RequestListener;
  /** Makes /readyz report the shutdown. */
  announceStop(): void;
  /** Writes pending credit usage and stops all timers; to be called after the last response. */
  close(): Promise<void>;
}

/** Creates the generated routes. */
function createEndpoints<Context>(
  deps: HttpDeps<Context>,
  { meter, authenticate, gate }: { readonly meter: KeyMeter; readonly authenticate: Authenticate; readonly gate: Gate },
  anchors: Anchors,
  validation: Validation,
  compression: Compression,
  connectionInfoOf: (request: IncomingMessage) => ConnectionInfo,
): EndpointRouter {
  const { capacities = [defaultCapacity], capacityOf = () => 0 } = deps;
  const admissions = capacities.map((capacity) => createAdmission(capacity, deps.limits.waitingRequests));
  const run = createHandlerFactory<Context>({
    ...deps,
    authenticate,
    connectionInfoOf,
    meter,
    gate,
    admissionOf: (chainId) => admissions[capacityOf(chainId)] as Admission,
    parsersOf: createParsersOf(deps),
    anchors,
    validation,
    maxDepths: deps.limits,
    responseBytes: deps.limits.responseBytes,
    compression,
    cache: deps.cache.megabytes === 0 ? null : createResponseCache(deps.cache.megabytes, compression),
    isPublic: deps.cache.public,
  });
  const router = createEndpointRouter();
  registerRoutes(router, run, deps.handlers);
  for (const { operation, createHandler } of deps.addedEndpoints ?? []) router.get(operation.path, createHandler(run));
  return router;
}

/** The paths of community endpoints under the operator's names for their protocols; without those that have no other name. */
const namedPaths = (served: readonly Operation[], names: HttpDeps<unknown>["protocolNames"]): { readonly path: string }[] =>
  served.flatMap(({ path, protocol }) => {
    const name = names[protocol ?? ""];
    return protocol === null || name === undefined || name === protocol ? [] : [{ path: path.replace(`/${protocol}/`, `/${name}/`) }];
  });

/** Creates the server's listener: documentation and health checks, which Express serves, and every endpoint of the catalog. */
export function createHttpApp<Context>(deps: HttpDeps<Context>): HttpApp {
  const { logger, limits, publicUrl, counts, keyRequests, tracer } = deps;
  const { meter = createKeyMeter({ limits, database: deps.database, logger, clock: deps.clock, now: deps.now }) } = deps;
  const anchors = createStoredAnchors(deps.anchorStores ?? { all: [deps.database], storeOf: () => deps.database }, logger);
  const validation = createValidation({ mode: deps.validate, document: deps.document, validators, logger });
  const served: readonly Operation[] = [...operations, ...(deps.addedEndpoints ?? []).map(({ operation }) => operation)];
  const hint = createPathHint([...served, ...namedPaths(served, deps.protocolNames)]);
  const connectionInfoOf = createConnectionInfoReader(deps.trustedProxies);
  const addressLimits = createAddressLimits(deps.clock);
  const compression = createCompression(deps.compression ? responseCodecs : {});
  let isShuttingDown = false;

  const log = createRequestLog(logger);
  const intake = createIntake({
    headers: responseHeaders(publicUrl),
    preflight: createCorsMiddleware(),
    urlBytes: limits.urlBytes,
    protocolNames: deps.protocolNames,
  });
  const { database, clock, now } = deps;
  const keys = {
    meter,
    authenticate: createAuthenticate({ keys: createKeyCache(createKeys(database, now), clock, deps.outage), addressLimits, now }),
    gate: createGate(createKeyLimiter(limits, meter), limits.bufferedBytes),
  };
  const endpoints = createEndpoints(deps, keys, anchors, validation, compression, connectionInfoOf);
  const account = createAccountUsageHandler({ ...keys, database, connectionInfoOf, now });
  const rejectPath = (request: IncomingMessage, path: string): never => {
    addressLimits.checkFailures(connectionInfoOf(request).ip ?? "");
    throw failures.pathUnknown(JSON.stringify(path.slice(0, 200)), hint(path));
  };
  const byId = new Map(served.map((operation) => [operation.id, operation]));
  const routeOf = (operation: string): string | undefined => byId.get(operation)?.path;
  const fail = createFailureHandler(
    logger,
    limits.statementMilliseconds,
    validation,
    byId,
    addressLimits,
    connectionInfoOf,
    createRejectionDelay(connectionInfoOf),
  );
  const pages = createUnkeyedPages(
    { ...deps, document: documentAccount(deps.document) },
    { compression, addressLimits, isStopping: () => isShuttingDown, rejectPath, fail },
  );

  /** Connections that have sent a request. */
  const knownConnections = new WeakSet<Socket>();
  const handle = async (request: IncomingMessage, response: ServerResponse, span: Span | undefined): Promise<void> => {
    const path = intake(request, response);
    if (path === null) return;
    const isAccount = path === accountPath || path === `${accountPath}/`;
    if (!path.startsWith("/v1/") && !isAccount) {
      request.url = path;
      return pages(request, response);
    }
    const { handler, parameters } = isAccount ? { handler: account, parameters: {} } : (endpoints.find(path) ?? rejectPath(request, path));
    const end = (databaseMilliseconds: number): void => recordOf(response).admitted?.end(databaseMilliseconds);
    const active = createActiveRequest(response, limits.requestMilliseconds, end, span);
    const { socket } = request;
    if (!knownConnections.has(socket)) {
      knownConnections.add(socket);
      // If a client closed its connection before it was accepted, node:http reports this after the request, in the next iteration of the event loop.
      // Waiting for that avoids work for clients that are gone, which would delay new requests for seconds.
      await setImmediate();
      await setImmediate();
      active.signal.throwIfAborted();
    }
    await runForRequest(active, () => handler(request, response, parameters));
  };

  return {
    listener(request, response) {
      log(request, response);
      if (counts !== undefined) response.once("close", () => counts.count(response));
      if (keyRequests !== undefined) response.once("close", () => keyRequests.count(response));
      const span = tracer?.start("request", "server");
      if (span !== undefined) response.once("close", () => endRequestSpan(span, request, response, routeOf));
      handle(request, response, span)
        .catch((error: unknown) => fail(error, request, response))
        // No other response can be sent.
        .catch(() => response.destroy());
    },
    announceStop() {
      isShuttingDown = true;
    },
    async close() {
      anchors.stop();
      await meter.stop();
      await keyRequests?.stop();
    },
  };
}
