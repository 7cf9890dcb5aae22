import { randomUUID } from "node:crypto";
import { Agent, createServer, get, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Request, type RequestHandler } from "express";
import * as validator from "express-openapi-validator";
import { type Document, type DocumentedOperation, type MediaTypes, only, type PathItem, type Responses, referred } from "./document.ts";

/** What the judge says about a request: the operation that it reaches, or the refusal with every parameter that is blamed. */
export type Verdict =
  | { readonly accepted: true; readonly operation: string }
  | { readonly accepted: false; readonly status: number; readonly blamed: readonly string[]; readonly message: string };

/** An answer as a client has it; the body parsed, where it is JSON. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

/** express-openapi-validator, which knows nothing of this project but the document that it is given. */
export interface Judge {
  /** Judges a request target, such as `/v1/demo/events/?page-size=5`. */
  request(target: string): Promise<Verdict>;
  /** Judges a JSON answer of the operation with this path, in the document's spelling: null when it is as documented, else what is wrong. */
  answer(path: string, answer: Answer): Promise<string | null>;
  close(): Promise<void>;
}

interface Refusal {
  readonly status?: number;
  readonly message?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

type ApiSpec = Exclude<Parameters<typeof validator.middleware>[0]["apiSpec"], string>;

/** Starts a judge of requests and answers by a document. */
export async function createJudge(document: Document): Promise<Judge> {
  const requests = await serve(requestApp(document));
  const planted = new Map<string, Planted>();
  const apps = new Map<string, express.Express>();
  const appOf = (path: string): express.Express => {
    const app = apps.get(path) ?? responseApp(only(document, path), planted);
    apps.set(path, app);
    return app;
  };
  const responses = await serve((request, response) => appOf(plantedIn(planted, request.headers).path)(request, response));

  return {
    request: async (target) => JSON.parse(await requests.get(target, {})) as Verdict,

    async answer(path, answer) {
      const id = randomUUID();
      planted.set(id, { path, answer });
      try {
        // Which operation it is, is all that its path matters for.
        return JSON.parse(await responses.get(path.replace(/\{[^}]+\}/g, "1"), { "x-planted": id })) as string | null;
      } finally {
        planted.delete(id);
      }
    },

    async close() {
      await Promise.all([requests.close(), responses.close()]);
    },
  };
}

interface Planted {
  readonly path: string;
  readonly answer: Answer;
}

function plantedIn(planted: ReadonlyMap<string, Planted>, headers: IncomingHttpHeaders): Planted {
  const found = planted.get(String(headers["x-planted"]));
  if (found === undefined) throw new Error("No such answer was planted.");
  return found;
}

/**
 * Coercion is off as far as the validator lets it be: it always coerces parameters, since their text has no types.
 * Who may call is not judged here, so security is left out.
 */
function requestApp(document: Document): express.Express {
  const accept: RequestHandler = (request, response) => {
    response.json({ accepted: true, operation: reached(request).operationId });
  };
  const refuse: ErrorRequestHandler = (error: Refusal, _request, response, _next) => {
    const { status = 500, message = "", errors = [] } = error;
    const names = errors.flatMap(({ path }) => /^\/(?:query|params)\/([^/]+)/.exec(path)?.[1] ?? []);
    response.json({ accepted: false, status, blamed: [...new Set(names)].sort(), message });
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
    .use(refuse);
}

/** Hands the planted answer to the validator, which sits between the response's `json` and the one that is put in here first. */
function responseApp(document: Document, planted: ReadonlyMap<string, Planted>): express.Express {
  const sayNothing: RequestHandler = (_request, response, next) => {
    response.json = () => response.end("null");
    next();
  };
  const replay: RequestHandler = (request, response) => {
    const { answer } = plantedIn(planted, request.headers);
    const undeclared = undeclaredType(document, reached(request), answer);
    if (undeclared !== null) throw new Error(undeclared);
    response.status(belowFiveHundred(answer.status)).type(answer.contentType).json(answer.body);
  };
  const object: ErrorRequestHandler = (error: Error, _request, response, _next) => {
    const message = error.message.replace(/(?<=status code ')48\d/, (status) => String(Number(status) + 20));
    response.status(200).type("application/json").end(JSON.stringify(message));
  };
  return express()
    .use(sayNothing)
    .use(
      ...validator.middleware({
        apiSpec: specification({ ...document, paths: withoutFiveHundreds(document.paths) }),
        // It was checked as a whole for the requests.
        validateApiSpec: false,
        validateRequests: false,
        validateResponses: { allErrors: true, coerceTypes: false, removeAdditional: false },
        validateSecurity: false,
        fileUploader: false,
      }),
    )
    .use(replay)
    .use(object);
}

/** The validator changes the document that it is given, so each gets a copy. */
function specification(document: Document): ApiSpec {
  return structuredClone(document) as unknown as ApiSpec;
}

/** The operation that the validator found for a request. */
function reached(request: Request): DocumentedOperation {
  return (request as Request & { readonly openapi: { readonly schema: DocumentedOperation } }).openapi.schema;
}

/**
 * The validator lets every answer of status 500 and above pass unseen. So it is shown 5xx as 48x, in the document and in the answer;
 * none of 480 to 489 is a status of its own.
 */
function belowFiveHundred(status: number): number {
  return status < 500 ? status : 480 + Math.min(status - 500, 9);
}

function withoutFiveHundreds(paths: Document["paths"]): Document["paths"] {
  const renamed = (responses: Responses): Responses =>
    Object.fromEntries(Object.entries(responses).map(([status, response]) => [String(belowFiveHundred(Number(status))), response]));
  const item = (operations: PathItem): PathItem =>
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => [method, { ...operation, responses: renamed(operation.responses) }]),
    );
  return Object.fromEntries(Object.entries(paths).map(([path, operations]) => [path, item(operations)]));
}

/** The validator takes a body of an undeclared media type for one of the first declared type. */
function undeclaredType(document: Document, { responses }: DocumentedOperation, { status, contentType }: Answer): string | null {
  const declared = responses[String(status)];
  if (declared === undefined) return null;
  const response = (declared.$ref === undefined ? declared : referred(document, declared.$ref)) as MediaTypes | undefined;
  const type = contentType.split(";")[0]?.trim() ?? "";
  return response?.content?.[type] === undefined ? `the media type ${type} is not declared for status ${status}` : null;
}

/** Serves an app on a free port, with a client that sends a target exactly as it is written. */
async function serve(app: RequestListener) {
  const server = createServer(app);
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
