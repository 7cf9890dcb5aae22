import type { IncomingMessage, ServerResponse } from "node:http";
import type { Operation } from "../../generated/operations.gen.ts";
import type { Chain, ParseOutcome, Parsers, RawRequest } from "../../generated/requests.gen.ts";
import type { Run } from "../../generated/routes.gen.ts";
import type { RequestLimits } from "../config/limits.ts";
import { activeRequest } from "../lib/active-request.ts";
import { type Admission, runAdmitted, weightOf } from "./admission.ts";
import type { Authenticate } from "./authenticate.ts";
import { baseUrl, withoutTrailingSlash } from "./base-url.ts";
import { readCommonFields } from "./common-fields.ts";
import type { Compression } from "./compression/compression.ts";
import { type ComputeDeps, computeResponse } from "./compute-response.ts";
import type { ConnectionInfo } from "./connection-info.ts";
import { renderCredits } from "./credits.ts";
import type { EndpointHandler } from "./endpoint-router.ts";
import { badParameters, failures } from "./errors.ts";
import type { Gate } from "./gate.ts";
import type { KeyMeter } from "./key-meter.ts";
import type { ActiveKey } from "./keys.ts";
import { creditsExhausted } from "./quota/credits-exhausted.ts";
import { enforceRateLimit } from "./rate-limit-headers.ts";
import { determineAnchor, type RequestAnchorDeps } from "./request-anchor.ts";
import { recordOf } from "./request-record.ts";
import { requestedChain } from "./requested-chain.ts";
import { type FindDeps, findResponse } from "./response-cache/find-response.ts";
import { matchesEntityTag, type RenderedResponse } from "./response-cache/rendered-response.ts";
import type { SendableResponse } from "./response-cache/response-cache.ts";
import { sendRendered, sendResponse } from "./send-response.ts";
import type { Validation } from "./validation/validation.ts";

export interface HandlerFactoryDeps<Context> extends RequestAnchorDeps, ComputeDeps<Context>, FindDeps {
  readonly connectionInfoOf: (request: IncomingMessage) => ConnectionInfo;
  readonly authenticate: Authenticate;
  readonly meter: Pick<KeyMeter, "admit" | "charge">;
  readonly gate: Gate;
  /** The admission for a chain's requests or, with null, for requests without a chain. */
  readonly admissionOf: (chainId: number | null) => Admission;
  readonly parsersOf: (operation: Operation) => Parsers;
  readonly validation: Validation;
  /** The chain of a community request without `chain-name`; null if the protocol has no contracts on any configured chain. */
  readonly chainOfProtocol: (protocol: string) => Chain | null;
  readonly publicUrl: string | undefined;
  /** The number of rows before a page, and the setting that limits it; null if pages of any number cost the same. */
  readonly pageDepth?: PageDepthOf | undefined;
  readonly maxDepths: Pick<RequestLimits, "skippedRows" | "locatedRows">;
  readonly compression: Compression;
  /** Whether shared caches may store responses. */
  readonly isPublic: boolean;
}

/** A page's depth in an operation's list. */
export type PageDepthOf = (
  handler: string,
  request: unknown,
) => { readonly offset: number; readonly limitName: "skippedRows" | "locatedRows" } | null;

interface SentRequest {
  readonly operation: Operation;
  readonly keyId: number;
  readonly format: "json" | "csv";
}

/** Creates the generated routes' handlers, which process key, limits, parameters, anchor, cache or resolver, credits, response, in this order. */
export function createHandlerFactory<Context>(deps: HandlerFactoryDeps<Context>): Run<EndpointHandler, Context> {
  const published = deps.publicUrl === undefined ? undefined : withoutTrailingSlash(deps.publicUrl);
  const identify = async (
    operation: Operation,
    request: IncomingMessage,
    connection: ConnectionInfo,
    response: ServerResponse,
    path: RawRequest["path"],
  ): Promise<ActiveKey> => {
    const record = recordOf(response);
    record.operation = operation.id;
    const { authorization, origin } = request.headers;
    const chain = (): Chain | null | undefined => requestedChain(deps, operation, { path, query: record.query });
    const authenticated = deps.authenticate({ authorization, query: record.query, address: connection.ip ?? "", origin, chain });
    // Not awaited if it is returned synchronously, as for most requests: AsyncLocalStorage makes promises expensive on Node.js 20.
    const key = authenticated instanceof Promise ? await authenticated : authenticated;
    record.keyId = key.id;
    const admitted = deps.meter.admit(key);
    const metered = admitted instanceof Promise ? await admitted : admitted;
    enforceRateLimit(response, metered.window);
    if (metered.exhaustedCredits !== null) throw creditsExhausted(metered.exhaustedCredits, key, deps.now());
    deps.gate(key, metered, response);
    const active = activeRequest();
    if (active !== undefined) active.keyId = key.id;
    return key;
  };

  const checkDepth = ({ handler }: Operation, parsed: unknown): void => {
    const depth = deps.pageDepth?.(handler, parsed) ?? null;
    if (depth === null) return;
    const bound = deps.maxDepths[depth.limitName];
    if (depth.offset > bound) throw failures.pageTooDeep(depth.offset, bound, depth.limitName);
  };

  const send = (
    request: IncomingMessage,
    response: ServerResponse,
    sent: SentRequest,
    { facts, content }: SendableResponse,
  ): Promise<void> => {
    const { operation, keyId, format } = sent;
    const record = recordOf(response);
    const charge = (bytes: number): void => {
      record.admitted?.holdBytes(bytes);
      record.costHundredths = facts.costHundredths;
      deps.meter.charge(keyId, operation.id, facts.costHundredths, deps.now());
      response.setHeader("X-Credits", renderCredits(facts.costHundredths));
    };
    if ("data" in content) return sendResponse(response, operation, content.data, format, deps, charge);
    charge(sentBytes(request, content.rendered));
    return sendRendered(response, content.rendered, deps);
  };

  return <R, D>(
    operation: Operation,
    parse: (raw: RawRequest, parsers: Parsers) => Promise<ParseOutcome<R>>,
    resolve: ((request: R, context: Context) => Promise<D>) | undefined,
  ): EndpointHandler => {
    const parsers = deps.parsersOf(operation);
    return async (request, response, path) => {
      const connection = deps.connectionInfoOf(request);
      const key = await identify(operation, request, connection, response, path);
      if (resolve === undefined) throw failures.planned(operation.path);
      const record = recordOf(response);
      const outcome = await parse({ path, query: record.query }, parsers);
      if (!outcome.ok) throw badParameters(outcome.issues);
      const check = deps.validation.checkRequest(operation, path, record.query);
      if (check !== undefined) await check;
      const parsed = withChain(operation, outcome.request, deps.chainOfProtocol);
      checkDepth(operation, parsed);
      const common = readCommonFields(parsed);
      const base = published ?? baseUrl(connection, undefined);
      const requestAnchor = await determineAnchor(deps, key.id, operation, common, parsed);
      const { chainId, days, format } = common;
      const found = await findResponse(deps, response, { operation, parsed, base, requestAnchor, format }, () =>
        runAdmitted(deps.admissionOf(chainId), weightOf(operation), () =>
          computeResponse(deps, { operation, chainId, base, requestAnchor, days, requestId: record.id }, (context) =>
            resolve(parsed, context),
          ),
        ),
      );
      const { facts } = found;
      if (facts.pinnedBlock !== null) requestAnchor.pin(facts.pinnedBlock);
      const stored = requestAnchor.storeAnchor(facts.hasMore);
      if (stored !== undefined) await stored;
      return send(request, response, { operation, keyId: key.id, format }, found);
    };
  };
}

/** The bytes that a client will read: none for HEAD, or if it already has the response. */
const sentBytes = ({ method, headers }: IncomingMessage, { body, tag }: RenderedResponse): number =>
  method === "HEAD" || matchesEntityTag(headers["if-none-match"], tag) ? 0 : body.length;

/** Adds the protocol's chain to a community request without `chain-name`; returns any other request unchanged. */
const withChain = <R>({ protocol }: Operation, request: R, chainOfProtocol: HandlerFactoryDeps<unknown>["chainOfProtocol"]): R =>
  protocol === null || (request as { readonly chain?: Chain | null }).chain !== null
    ? request
    : { ...request, chain: chainOfProtocol(protocol) };
