import type { Logger } from "pino";
import type { Operation } from "../../../generated/operations.gen.ts";
import { failures } from "../errors.ts";
import type { OpenApiDocument } from "../openapi-document.ts";
import type { Query } from "../query.ts";
import { type CompiledValidators, compiledViolations, type Violation } from "./compiled-check.ts";
import { createOpenApiChecks, type OpenApiChecks } from "./openapi-checks.ts";

/**
 * The scope of validation against the OpenAPI document: all requests and responses, rejecting violations; one response in a thousand, logging violations;
 * or nothing.
 */
export type ValidationMode = "strict" | "sample" | "off";

/** An operation's response, before it is serialized. */
interface CheckedResponse {
  readonly operation: Operation;
  readonly requestId: string;
  readonly status: number;
  readonly body: unknown;
}

export interface Validation {
  /** Undefined if nothing is checked. @throws {HttpError} 400 if the document does not allow the request. */
  checkRequest(operation: Operation, path: Readonly<Record<string, string>>, query: Query): Promise<void> | undefined;
  /** Logs a response's violations; undefined if there is nothing to wait for. @throws {HttpError} 500 in strict mode. */
  checkResponse(response: CheckedResponse): Promise<void> | undefined;
}

export interface ValidationDeps {
  readonly mode: ValidationMode;
  readonly document: OpenApiDocument;
  readonly validators: CompiledValidators;
  readonly logger: Logger;
}

const sampleInterval = 1000;
const checkNothing = (): undefined => undefined;

const checksByDocument = new WeakMap<OpenApiDocument, OpenApiChecks>();

/** A document's checks, which are costly to compile: services with the same document share them. */
function checksOf(document: OpenApiDocument): OpenApiChecks {
  const checks = checksByDocument.get(document) ?? createOpenApiChecks(document);
  checksByDocument.set(document, checks);
  return checks;
}

/** The number of list elements that a sample checks: a validator checks tens of thousands of elements synchronously, which would delay other requests. */
const sampledElementCount = 30;

/** Returns a response with only the first elements of its lists. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, sampledElementCount).map(shorten);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member)]));
}

/** Creates the validation for a mode. */
export function createValidation({ mode, document, validators, logger }: ValidationDeps): Validation {
  if (mode === "off") return { checkRequest: checkNothing, checkResponse: checkNothing };
  const log = ({ operation, requestId, status }: CheckedResponse, violations: readonly Violation[]): void => {
    const details = { requestId, operation: operation.id, status, violations };
    logger.error(details, "Response violates the OpenAPI document");
  };
  if (mode === "sample") {
    let count = 0;
    return {
      checkRequest: checkNothing,
      checkResponse(response): undefined {
        if (response.status !== 200 || count++ % sampleInterval !== 0) return;
        const violations = compiledViolations(validators, response.operation.id, shorten(response.body));
        if (violations.length > 0) log(response, violations);
      },
    };
  }
  const checks = checksOf(document);
  return {
    async checkRequest(operation, path, query) {
      const violation = await checks.checkRequest(operation, path, query);
      if (violation !== null) throw failures.requestViolation(operation.id, violation);
    },
    async checkResponse(response) {
      const violations = await checks.checkResponse(response.operation, response.status, response.body);
      if (violations.length === 0) return;
      log(response, violations);
      throw failures.internal(response.requestId);
    },
  };
}
