import type { Request, RequestHandler, Response } from "express";
import type { Operation } from "../../generated/operations.gen.ts";
import type { Chain, ParseOutcome, Parsers, RawRequest } from "../../generated/requests.gen.ts";
import type { Run } from "../../generated/routes.gen.ts";
import type { Authenticate } from "./authenticate.ts";
import { baseUrl } from "./base-url.ts";
import { readCommon } from "./common-fields.ts";
import type { Compression } from "./compression/compression.ts";
import { type Counted, costOf, renderCredits } from "./credits.ts";
import { successEnvelope } from "./envelope.ts";
import { badParameters, failures } from "./errors.ts";
import type { KeyMeter } from "./key-meter.ts";
import type { ActiveKey } from "./keys.ts";
import { type Head, openPages, type PagesDeps, resolveDuringRebuild } from "./pages.ts";
import type { Window } from "./rate-limits.ts";
import { recordOf } from "./request-record.ts";
import { sendResponse } from "./send-response.ts";
import type { Validation } from "./validation/validation.ts";

/** The parts of a request that its resolver's context is built from. */
export interface RequestScope {
  readonly operation: Operation;
  /** The time of the response. */
  readonly now: () => Date;
  /** The absolute URL of a path of this server, without a query string. */
  readonly link: (path: string) => string;
  /** The as-of block: the list's anchor, otherwise the indexed head; null without a chain or before its first block. */
  readonly anchor: number | null;
  /** While a required part of the index is being rebuilt, the error for requests above the anchor; otherwise null. */
  readonly rebuildError: Head["rebuildError"];
  /** The first indexed block if it is not the chain's first block, otherwise null. */
  readonly indexedFrom: Head["indexedFrom"];
  /** The checkpoint of each projection. */
  readonly checkpoints: Head["checkpoints"];
  /** Pins the later pages of the list to an earlier block than the anchor. */
  readonly pin: (block: number) => void;
  /** Quantities for the cost that the response does not contain; the resolver sets them. */
  readonly counted: Counted;
}

export interface RunDeps<Context> extends PagesDeps {
  readonly authenticate: Authenticate;
  readonly meter: Pick<KeyMeter, "admit" | "charge">;
  readonly parsersOf: (operation: Operation) => Parsers;
  readonly validation: Validation;
  readonly context: (scope: RequestScope) => Context;
  /** The chain of a request to a community protocol that names none; null if the protocol has contracts on no configured chain. */
  readonly chainOfProtocol: (protocol: string) => Chain | null;
  readonly now: () => Date;
  readonly publicUrl: string | undefined;
  readonly answerBytes: number;
  readonly compression: Compression;
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

/** Creates the handlers of the generated routes: key, limits, parameters, anchor, resolver, response, credits, in this order. */
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
    const { window, isAllowanceUsed } = await deps.meter.admit(key);
    enforceRateLimit(response, window);
    if (isAllowanceUsed) throw failures.allowanceUsed(key.creditLimitHundredths ?? 0);
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
      const common = readCommon(parsed);
      const base = baseUrl(request, deps.publicUrl);
      const counted: Counted = { blocks: 1, extraHundredths: 0 };
      const pages = await openPages(deps, key.id, operation, common, parsed);
      const { anchor, rebuildError, indexedFrom, checkpoints, pin } = pages;
      const link = (path: string): string => base + path;
      const scope: RequestScope = { operation, now: deps.now, link, anchor, rebuildError, indexedFrom, checkpoints, pin, counted };
      const data = await resolveDuringRebuild(pages, () => resolve(parsed, deps.context(scope)));
      await deps.validation.checkResponse({ operation, requestId: record.id, status: 200, body: successEnvelope(data) });
      await pages.storeAnchor(data);
      await sendResponse(response, operation, data, common.format, deps, () => {
        const hundredths = costOf(operation, data, common.days, counted);
        record.hundredths = hundredths;
        deps.meter.charge(key.id, operation.id, hundredths, deps.now());
        response.setHeader("X-Credits", renderCredits(hundredths));
      });
    };
  };
}

/** A request to a community protocol with the protocol's chain, if it names none; any other request unchanged. */
const withChain = <R>({ protocol }: Operation, request: R, chainOfProtocol: RunDeps<unknown>["chainOfProtocol"]): R =>
  protocol === null || (request as { readonly chain?: Chain | null }).chain !== null
    ? request
    : { ...request, chain: chainOfProtocol(protocol) };
