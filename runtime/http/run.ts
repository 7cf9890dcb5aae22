import type { Request, RequestHandler, Response } from "express";
import type { Operation } from "../../generated/operations.gen.ts";
import type { Chain, ParseOutcome, Parsers, RawRequest } from "../../generated/requests.gen.ts";
import type { Run } from "../../generated/routes.gen.ts";
import { type Admission, runAdmitted, weightOf } from "./admission.ts";
import type { Authenticate } from "./authenticate.ts";
import { baseUrl } from "./base-url.ts";
import { readCommon } from "./common-fields.ts";
import type { Compression } from "./compression/compression.ts";
import { type ComputeDeps, computeResponse } from "./compute-response.ts";
import { renderCredits } from "./credits.ts";
import { badParameters, failures } from "./errors.ts";
import type { Gate } from "./gate.ts";
import type { KeyMeter } from "./key-meter.ts";
import type { ActiveKey } from "./keys.ts";
import { openPages, type PagesDeps } from "./pages.ts";
import type { Window } from "./rate-limits.ts";
import { recordOf } from "./request-record.ts";
import { type FindDeps, findResponse } from "./response-cache/find-response.ts";
import { hasTag, type RenderedResponse } from "./response-cache/rendered-response.ts";
import { sendRendered, sendResponse } from "./send-response.ts";
import type { Validation } from "./validation/validation.ts";

export interface RunDeps<Context> extends PagesDeps, ComputeDeps<Context>, FindDeps {
  readonly authenticate: Authenticate;
  readonly meter: Pick<KeyMeter, "admit" | "charge">;
  readonly gate: Gate;
  readonly admission: Admission;
  readonly parsersOf: (operation: Operation) => Parsers;
  readonly validation: Validation;
  /** The chain of a request to a community protocol that names none; null if the protocol has contracts on no configured chain. */
  readonly chainOfProtocol: (protocol: string) => Chain | null;
  readonly publicUrl: string | undefined;
  /** The rows that the statement of a page reads and skips. */
  readonly skippedRows?: ((handler: string, request: unknown) => number) | undefined;
  readonly maxSkippedRows: number;
  readonly compression: Compression;
  /** Whether shared caches may store responses. */
  readonly isPublic: boolean;
}

function enforceRateLimit(response: Response, window: Window | null): void {
  if (window === null) return;
  response.setHeader("RateLimit-Limit", window.limit);
  response.setHeader("RateLimit-Remaining", window.remaining);
  response.setHeader("RateLimit-Reset", window.reset);
  if (!window.exceeded) return;
  response.setHeader("Retry-After", window.reset);
  throw failures.tooManyRequests(window.limit, window.seconds, window.reset);
}

/** Creates the handlers of the generated routes: key, limits, parameters, anchor, cache or resolver, credits, response, in this order. */
export function createRun<Context>(deps: RunDeps<Context>): Run<RequestHandler, Context> {
  const identify = async (operation: Operation, request: Request, response: Response): Promise<ActiveKey> => {
    const record = recordOf(response);
    record.operation = operation.id;
    const key = await deps.authenticate({
      authorization: request.headers.authorization,
      query: record.query,
      address: request.ip ?? "",
    });
    record.keyId = key.id;
    const metered = await deps.meter.admit(key);
    enforceRateLimit(response, metered.window);
    if (metered.isAllowanceUsed) throw failures.allowanceUsed(key.creditLimitHundredths ?? 0);
    deps.gate(key, metered, response);
    return key;
  };

  return <R, D>(
    operation: Operation,
    parse: (raw: RawRequest, parsers: Parsers) => Promise<ParseOutcome<R>>,
    resolve: ((request: R, context: Context) => Promise<D>) | undefined,
  ): RequestHandler => {
    return async (request, response) => {
      const key = await identify(operation, request, response);
      if (resolve === undefined) throw failures.planned(operation.path);
      const record = recordOf(response);
      const outcome = await parse({ path: request.params as Record<string, string>, query: record.query }, deps.parsersOf(operation));
      if (!outcome.ok) throw badParameters(outcome.issues);
      await deps.validation.checkRequest(operation, request.params as Record<string, string>, record.query);
      const parsed = withChain(operation, outcome.request, deps.chainOfProtocol);
      const skipped = deps.skippedRows?.(operation.handler, parsed) ?? 0;
      if (skipped > deps.maxSkippedRows) throw failures.pageTooDeep(skipped, deps.maxSkippedRows);
      const common = readCommon(parsed);
      const base = baseUrl(request, deps.publicUrl);
      const pages = await openPages(deps, key.id, operation, common, parsed);
      const { days, format } = common;
      const { facts, content } = await findResponse(deps, response, { operation, parsed, base, pages, format }, () =>
        runAdmitted(deps.admission, weightOf(operation), () =>
          computeResponse(deps, { operation, base, pages, days, requestId: record.id }, (context) => resolve(parsed, context)),
        ),
      );
      if (facts.pinned !== null) pages.pin(facts.pinned);
      await pages.storeAnchor(facts.hasMore);
      const charge = (bytes: number): void => {
        record.admitted?.holdBytes(bytes);
        record.hundredths = facts.hundredths;
        deps.meter.charge(key.id, operation.id, facts.hundredths, deps.now());
        response.setHeader("X-Credits", renderCredits(facts.hundredths));
      };
      if ("data" in content) return sendResponse(response, operation, content.data, format, deps, charge);
      charge(sentBytes(request, content.rendered));
      await sendRendered(response, content.rendered, deps);
    };
  };
}

/** The bytes that a client will read: none for HEAD, and if it already has the response. */
const sentBytes = ({ method, headers }: Request, { body, tag }: RenderedResponse): number =>
  method === "HEAD" || hasTag(headers["if-none-match"], tag) ? 0 : body.length;

/** A request to a community protocol with the protocol's chain, if it names none; any other request unchanged. */
const withChain = <R>({ protocol }: Operation, request: R, chainOfProtocol: RunDeps<unknown>["chainOfProtocol"]): R =>
  protocol === null || (request as { readonly chain?: Chain | null }).chain !== null
    ? request
    : { ...request, chain: chainOfProtocol(protocol) };
