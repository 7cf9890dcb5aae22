import { randomUUID } from "node:crypto";
import { Agent, createServer, get, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import * as validator from "express-openapi-validator";
import {
  type Document,
  type DocumentedOperation,
  type MediaTypes,
  type PathItem,
  type Responses,
  reduceToPath,
  resolveReference,
} from "./document.ts";

/** The outcome of a request: the matching operation, or the rejection with all invalid parameters. */
export type RequestOutcome =
  | { readonly accepted: true; readonly operation: string }
  | { readonly accepted: false; readonly status: number; readonly invalidParameters: readonly string[]; readonly message: string };

/** A response as a client receives it; JSON bodies are parsed. */
export interface ServedResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

/** express-openapi-validator, which independently checks requests and responses against the OpenAPI document. */
export interface OpenApiValidator {
  /** Validates a request target, such as `/v1/demo/events/?page-size=5`. */
  request(target: string): Promise<RequestOutcome>;
  /** Validates a JSON response from the operation at a path in the document: null if it is valid, otherwise the violation. */
  response(path: string, response: ServedResponse): Promise<string | null>;
  close(): Promise<void>;
}

interface Rejection {
  readonly status?: number;
  readonly message?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

type ApiSpec = Exclude<Parameters<typeof validator.middleware>[0]["apiSpec"], string>;

/** Starts a validator for a document's requests and responses. */
export async function createOpenApiValidator(document: Document): Promise<OpenApiValidator> {
  const requests = await serve(requestApp(document));
  const submissions = new Map<string, Submission>();
  const apps = new Map<string, express.Express>();
  const appOf = (path: string): express.Express => {
    const app = apps.get(path) ?? responseApp(reduceToPath(document, path), submissions);
    apps.set(path, app);
    return app;
  };
  const responses = await serve((request, response) => appOf(submissionOf(submissions, request.headers).path)(request, response));

  return {
    request: async (target) => JSON.parse(await requests.get(target, {})) as RequestOutcome,

    async response(path, response) {
      const id = randomUUID();
      submissions.set(id, { path, response });
      try {
        // The path only selects the operation.
        return JSON.parse(await responses.get(path.replace(/\{[^}]+\}/g, "1"), { "x-submission-id": id })) as string | null;
      } finally {
        submissions.delete(id);
      }
    },

    async close() {
      await Promise.all([requests.close(), responses.close()]);
    },
  };
}

interface Submission {
  readonly path: string;
  readonly response: ServedResponse;
}

function submissionOf(submissions: ReadonlyMap<string, Submission>, headers: IncomingHttpHeaders): Submission {
  const found = submissions.get(String(headers["x-submission-id"]));
  if (found === undefined) throw new Error(`Unknown x-submission-id ${headers["x-submission-id"]}`);
  return found;
}

/**
 * Returns an app that responds with a request's outcome. The validator coerces parameters even with `coerceTypes: false`. Security is disabled, because
 * authentication is not validated here.
 */
function requestApp(document: Document): express.Express {
  const accept: RequestHandler = (request, response) => {
    response.json({ accepted: true, operation: matchedOperation(request).operationId });
  };
  const reject: ErrorRequestHandler = (error: Rejection, _request, response, _next) => {
    const { status = 500, message = "", errors = [] } = error;
    const names = errors.flatMap(({ path }) => /^\/(?:query|params)\/([^/]+)/.exec(path)?.[1] ?? []);
    response.json({ accepted: false, status, invalidParameters: [...new Set(names)].sort(), message });
  };
  return express()
    .use(
      ...validator.middleware({
        apiSpec: specification(document),
        validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false, allErrors: true },
        validateResponses: false,
        validateSecurity: false,
        fileUploader: false,
      }),
    )
    .use(accept)
    .use(reject);
}

/** Returns an app that passes the submitted response to the validator, which wraps the `json` method that is set here first. */
function responseApp(document: Document, submissions: ReadonlyMap<string, Submission>): express.Express {
  const acceptSilently: RequestHandler = (_request, response, next) => {
    response.json = () => response.end("null");
    next();
  };
  const replay: RequestHandler = (request, response) => {
    const { response: submitted } = submissionOf(submissions, request.headers);
    const undeclared = undeclaredType(document, matchedOperation(request), submitted);
    if (undeclared !== null) throw new Error(undeclared);
    response.status(belowFiveHundred(submitted.status)).type(submitted.contentType).json(submitted.body);
  };
  const reportViolation: ErrorRequestHandler = (error: Error, _request, response, _next) => {
    const message = error.message.replace(/(?<=status code ')48\d/, (status) => String(Number(status) + 20));
    response.status(200).type("application/json").end(JSON.stringify(message));
  };
  return express()
    .use(acceptSilently)
    .use(
      ...validator.middleware({
        apiSpec: specification({ ...document, paths: withoutFiveHundreds(document.paths) }),
        // The complete document was checked when the request validator was created.
        validateApiSpec: false,
        validateRequests: false,
        validateResponses: { allErrors: true, coerceTypes: false, removeAdditional: false },
        validateSecurity: false,
        fileUploader: false,
      }),
    )
    .use(replay)
    .use(reportViolation);
}

/** Returns a copy of the document for one validator, because validators modify their documents. */
function specification(document: Document): ApiSpec {
  return structuredClone(document) as unknown as ApiSpec;
}

/** The operation that the validator matched a request to. */
function matchedOperation(request: Request): DocumentedOperation {
  return (request as Request & { readonly openapi: { readonly schema: DocumentedOperation } }).openapi.schema;
}

/**
 * The validator does not check responses with a status of 500 or above. Therefore 5xx is replaced with 48x in the document and in the response;
 * 480 to 489 are not used otherwise.
 */
function belowFiveHundred(status: number): number {
  return status < 500 ? status : 480 + Math.min(status - 500, 9);
}

function withoutFiveHundreds(paths: Document["paths"]): Document["paths"] {
  const replaceStatuses = (responses: Responses): Responses =>
    Object.fromEntries(Object.entries(responses).map(([status, response]) => [String(belowFiveHundred(Number(status))), response]));
  const replaceInItem = (operations: PathItem): PathItem =>
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, { ...operation, responses: replaceStatuses(operation.responses) }]),
    );
  return Object.fromEntries(Object.entries(paths).map(([path, operations]) => [path, replaceInItem(operations)]));
}

/**
 * Describes a response's media type that the document does not declare; null if it is declared. The validator treats a body with an undeclared media type as
 * the first declared type.
 */
function undeclaredType(document: Document, { responses }: DocumentedOperation, { status, contentType }: ServedResponse): string | null {
  const declared = responses[String(status)];
  if (declared === undefined) return null;
  const response = (declared.$ref === undefined ? declared : resolveReference(document, declared.$ref)) as MediaTypes | undefined;
  const type = contentType.split(";")[0]?.trim() ?? "";
  return response?.content?.[type] === undefined ? `the media type ${type} is not declared for status ${status}` : null;
}

/** Serves an app on a free port, with a client that sends request targets unchanged. */
async function serve(app: RequestListener) {
  // Keeps idle connections open: a request that is sent while the server closes its connection would fail.
  const server = createServer({ keepAliveTimeout: 0 }, app);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });

  return {
    get: (path: string, headers: Record<string, string>): Promise<string> =>
      new Promise((resolve, reject) => {
        get({ host: "127.0.0.1", port, path, headers, agent }, (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (chunk: string) => {
            text += chunk;
          });
          response.on("end", () => resolve(text));
          response.on("error", reject);
        }).on("error", reject);
      }),
    close: (): Promise<void> => {
      agent.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
