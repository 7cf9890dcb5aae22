import { DatabaseUnavailable } from "../../../database/errors.ts";
import { RequestError } from "../../../lib/request-error.ts";

/** Where a statement is declared. */
interface StatementPlace {
  readonly protocol: string;
  /** The operation, or `lending`. */
  readonly name: string;
  /** The file, relative to the protocol's folder. */
  readonly file: string;
}

/** A declared statement failed, or a value of its rows is not of its column's format. The message says where it is declared, and why it failed. */
export class StatementError extends Error {
  override readonly name = "StatementError";
  /** The SQLSTATE; undefined if PostgreSQL did not refuse the statement. */
  readonly code: string | undefined;

  constructor({ protocol, name, file }: StatementPlace, cause: Error) {
    // The log hides paths that start with a slash or with "..".
    super(`${name} of ${protocol}, ${file.replace(/^\.\.\//, "")}: ${cause.message}`, { cause });
    this.code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  }
}

/**
 * A failure of a declared statement, with its place. Failures that other statements would have too are returned as they are: of the connection and of the
 * request.
 */
export const placed = (place: StatementPlace, error: unknown): unknown =>
  error instanceof Error && !(error instanceof DatabaseUnavailable) && !(error instanceof RequestError)
    ? new StatementError(place, error)
    : error;
