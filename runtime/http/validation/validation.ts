import type { Logger } from "pino";
import type { Operation } from "../../../generated/operations.gen.ts";
import { failures } from "../errors.ts";
import type { OpenApiDocument } from "../openapi-document.ts";
import type { Query } from "../query.ts";
import { type CompiledValidators, compiledViolations, type Violation } from "./compiled-check.ts";
import { createOpenApiChecks, type OpenApiChecks } from "./openapi-checks.ts";

/**
 * Which requests and answers are validated against the OpenAPI document: all, refusing violations; one answer in a thousand, logging violations; or none.
 */
export type ValidateMode = "strict" | "sample" | "off";

/** An answer of an operation, before it is serialized. */
interface CheckedAnswer {
  readonly operation: Operation;
  readonly requestId: string;
  readonly status: number;
  readonly body: unknown;
}

export interface Validation {
  /** @throws {HttpError} 400 for a request that the document does not allow. */
  checkRequest(operation: Operation, path: Readonly<Record<string, string>>, query: Query): Promise<void>;
  /** Logs a violating answer. @throws {HttpError} 500 in strict mode. */
  checkAnswer(answer: CheckedAnswer): Promise<void>;
}

export interface ValidationDeps {
  readonly mode: ValidateMode;
  readonly document: OpenApiDocument;
  readonly validators: CompiledValidators;
  readonly logger: Logger;
}

const sampleInterval = 1000;
const accept = async (): Promise<void> => undefined;

const checksByDocument = new WeakMap<OpenApiDocument, OpenApiChecks>();

/** The checks of a document, which are costly to compile: services of one document share them. */
function checksOf(document: OpenApiDocument): OpenApiChecks {
  const checks = checksByDocument.get(document) ?? createOpenApiChecks(document);
  checksByDocument.set(document, checks);
  return checks;
}

/** Creates the validation of a mode. */
export function createValidation({ mode, document, validators, logger }: ValidationDeps): Validation {
  if (mode === "off") return { checkRequest: accept, checkAnswer: accept };
  const log = ({ operation, requestId, status }: CheckedAnswer, violations: readonly Violation[]): void => {
    const details = { requestId, operation: operation.id, status, violations };
    logger.error(details, "answer violates the OpenAPI document");
  };
  if (mode === "sample") {
    let count = 0;
    return {
      checkRequest: accept,
      async checkAnswer(answer) {
        if (answer.status !== 200 || count++ % sampleInterval !== 0) return;
        const violations = compiledViolations(validators, answer.operation.id, answer.body);
        if (violations.length > 0) log(answer, violations);
      },
    };
  }
  const checks = checksOf(document);
  return {
    async checkRequest(operation, path, query) {
      const violation = await checks.request(operation, path, query);
      if (violation !== null) throw failures.requestViolation(operation.id, violation);
    },
    async checkAnswer(answer) {
      const violations = await checks.answer(answer.operation, answer.status, answer.body);
      if (violations.length === 0) return;
      log(answer, violations);
      throw failures.internal(answer.requestId);
    },
  };
}
