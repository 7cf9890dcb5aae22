import { DatabaseUnavailable } from "../../../database/errors.ts";
import { RequestError } from "../../../lib/request-error.ts";

/** Where a statement is declared. */
interface StatementLocation {
  readonly protocol: string;
  /** The operation, or `lending`. */
  readonly name: string;
  /** The file, relative to the protocol's folder. */
  readonly file: string;
}

/**
 * A declared statement failed, or returned a value that is invalid in its column. The message states the declaration's location and the reason.
 */
export class StatementError extends Error {
  override readonly name = "StatementError";
  /** The SQLSTATE; undefined if PostgreSQL did not refuse the statement. */
  readonly code: string | undefined;

  constructor({ protocol, name, file }: StatementLocation, cause: Error) {
    // The log hides paths that start with a slash or with "..".
    super(`${name} of ${protocol}, ${file.replace(/^\.\.\//, "")}: ${cause.message}`, { cause });
    this.code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  }
}

/**
 * Adds the declaration's location to a failure of a declared statement. Connection and request failures, which do not depend on the
 * statement, are returned unchanged.
 */
export const withLocation = (location: StatementLocation, error: unknown): unknown =>
  error instanceof Error && !(error instanceof DatabaseUnavailable) && !(error instanceof RequestError)
    ? new StatementError(location, error)
    : error;
