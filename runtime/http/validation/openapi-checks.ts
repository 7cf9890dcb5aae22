import type { IncomingMessage, ServerResponse } from "node:http";
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { Operation } from "../../../generated/operations.gen.ts";
import type { OpenApiDocument } from "../openapi-document.ts";
import type { Query } from "../query.ts";
import type { Violation } from "./compiled-check.ts";
import { type DocumentedParameter, normalizeQuery, normalizeValue, parametersOf } from "./normalize-query.ts";
import { documentOfRequest, documentOfResponse, responseSchemaOf } from "./operation-document.ts";

type Validator = typeof import("express-openapi-validator");
type Options = Parameters<Validator["middleware"]>[0];

/** The errors that express-openapi-validator throws. */
interface ValidatorError {
  readonly message?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

export interface OpenApiChecks {
  /** How a request violates the document; null if it is valid. */
  checkRequest(operation: Operation, path: Readonly<Record<string, string>>, query: Query): Promise<string | null>;
  /** How a response violates the document; empty if it is valid. Statuses of 500 and above are not checked. */
  checkResponse(operation: Operation, status: number, body: unknown): Promise<readonly Violation[]>;
}

interface RequestCheck {
  readonly parameters: readonly DocumentedParameter[];
  readonly application: Express;
}

/**
 * Checks requests and responses with express-openapi-validator: one application per operation for its requests and one per response schema, created on first
 * use. The validator matches only one form of a path, rejects HEAD and does not trim. It therefore receives a GET with the normalized parameters instead of the
 * request itself.
 */
export function createOpenApiChecks(document: OpenApiDocument): OpenApiChecks {
  const requestCheck = memoize((path: string): Promise<RequestCheck> => createRequestCheck(document, path));
  const responseCheck = memoize((schema: string): Promise<Express> => createResponseCheck(document, schema));
  return {
    async checkRequest({ path }, pathValues, query) {
      const { parameters, application } = await requestCheck(path);
      // The validator rejects an unescaped plus sign, which encodes a space here.
      const search = normalizeQuery(parameters, query).toString().replaceAll("+", "%20");
      const error = await dispatch(application, `${fillPath(path, parameters, pathValues)}${search === "" ? "" : `?${search}`}`);
      return error === null ? null : (error.message ?? "unknown violation");
    },
    async checkResponse({ path }, status, body) {
      if (status >= 500) return [];
      const schema = responseSchemaOf(document, path, status);
      if (schema === null) return [{ pointer: "", reason: `status ${status} is not documented` }];
      // The body as it is sent, without the values that JSON omits.
      const sent: unknown = JSON.parse(JSON.stringify(body));
      const error = await dispatch(await responseCheck(schema), "/", sent);
      return error === null ? [] : violationsOf(error);
    },
  };
}

/** Violations with pointers into the body; the validator's pointers start with /response. */
function violationsOf({ errors = [], message = "unknown violation" }: ValidatorError): readonly Violation[] {
  const found = errors.filter(({ path }) => /^\/response(?:\/|$)/.test(path));
  if (found.length === 0) return [{ pointer: "", reason: message }];
  return found.map(({ path, message: reason }) => ({ pointer: path.slice("/response".length), reason }));
}

function memoize<Value>(create: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const created = new Map<string, Promise<Value>>();
  return (key) => {
    const value = created.get(key) ?? create(key);
    created.set(key, value);
    return value;
  };
}

/** A request's path, with normalized values. */
function fillPath(path: string, parameters: readonly DocumentedParameter[], values: Readonly<Record<string, string>>): string {
  return path.replace(/\{([^}]+)\}/g, (_braces, name: string) => {
    const parameter = parameters.find((candidate) => candidate.in === "path" && candidate.name === name);
    const value = values[name] ?? "";
    return encodeURIComponent(parameter === undefined ? value : normalizeValue(parameter, value));
  });
}

const commonOptions = { validateApiSpec: false, validateSecurity: false, fileUploader: false } as const;

/** The validator modifies the document that it receives. */
const copyOf = (document: OpenApiDocument): Options["apiSpec"] => structuredClone(document) as unknown as Options["apiSpec"];

/** Loaded on demand, because only strict validation needs it. */
const loadValidator = (): Promise<Validator> => import("express-openapi-validator");

async function createRequestCheck(document: OpenApiDocument, path: string): Promise<RequestCheck> {
  const { middleware } = await loadValidator();
  const handlers = middleware({
    ...commonOptions,
    apiSpec: copyOf(documentOfRequest(document, path)),
    validateRequests: { allowUnknownQueryParameters: true, coerceTypes: false, allErrors: true },
    validateResponses: false,
  });
  return { parameters: parametersOf(document, path), application: applicationOf(handlers) };
}

async function createResponseCheck(document: OpenApiDocument, schema: string): Promise<Express> {
  const { middleware } = await loadValidator();
  const handlers = middleware({
    ...commonOptions,
    apiSpec: copyOf(documentOfResponse(document, schema)),
    validateRequests: false,
    validateResponses: { allErrors: true, coerceTypes: false, removeAdditional: false },
  });
  return applicationOf(handlers);
}

/** A check's data, attached to its response object; the request and response share no socket. */
interface Exchange {
  /** The body to check; undefined if the request is checked. */
  readonly body: unknown;
  settle(error: ValidatorError | null): void;
}

const exchangeOf = (response: object): Exchange => (response as { readonly exchange: Exchange }).exchange;

function applicationOf(handlers: ReturnType<Validator["middleware"]>): Express {
  // The validator wraps `json` and passes valid bodies on to this one.
  const prepare: RequestHandler = (_request, response, next) => {
    response.json = () => {
      exchangeOf(response).settle(null);
      return response;
    };
    next();
  };
  const respond: RequestHandler = (_request, response) => {
    const { body, settle } = exchangeOf(response);
    if (body === undefined) settle(null);
    else response.json(body);
  };
  const fail: ErrorRequestHandler = (error: ValidatorError, _request, response, _next) => exchangeOf(response).settle(error);
  const application = express();
  application.disable("x-powered-by");
  return application.use(prepare, ...handlers, respond).use(fail);
}

function dispatch(application: Express, target: string, body?: unknown): Promise<ValidatorError | null> {
  return new Promise((settle) => {
    const request = { method: "GET", url: target, originalUrl: target, headers: {} } as unknown as IncomingMessage;
    const response = {
      exchange: { body, settle } satisfies Exchange,
      statusCode: 200,
      headersSent: false,
      getHeaders: () => ({ "content-type": "application/json" }),
    } as unknown as ServerResponse;
    application(request, response);
  });
}
