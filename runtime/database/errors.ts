/** How messages describe a database, depending on how the operator configured it. */
export interface DatabaseDescription {
  /** The subject in messages, such as "The embedded PostgreSQL". */
  readonly name: string;
  /** The end of the messages: what the operator should check, or where the data is. */
  readonly details: string;
  /** Why the database cannot be used, if more is known than the connection error; otherwise null. */
  readonly problem?: () => string | null;
}

const unnamed: DatabaseDescription = { name: "The database", details: "check DATABASE_URL" };

/** The database cannot be reached, or rejects the connection. The message contains neither address nor password. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  /** The system's or the server's code, such as ECONNREFUSED or 28P01. */
  readonly code: string;
  readonly reason: string;
  /** The message without the details, which may contain paths; safe to send to clients. */
  readonly summary: string;

  constructor(code: string, reason: string, { name, details, problem }: DatabaseDescription = unnamed) {
    const summary = `${name} cannot be used: ${problem?.() ?? `${reason} (${code})`}`;
    super(`${summary}; ${details}.`);
    this.code = code;
    this.reason = reason;
    this.summary = `${summary}.`;
  }
}

/** Error codes of failed connections: the system's errno and the server's SQLSTATE (PostgreSQL appendix A). */
const unavailable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was lost",
  EPIPE: "the connection was lost",
  EACCES: "access to its socket is denied",
  ENOENT: "its socket does not exist",
  ENOTFOUND: "its host name does not exist",
  EAI_AGAIN: "its host name cannot be resolved at the moment",
  EHOSTUNREACH: "its host is unreachable",
  ENETUNREACH: "its network is unreachable",
  ETIMEDOUT: "the connection timed out",
  ERR_INVALID_URL: "its URL is not of the form postgresql://user:password@host:port/name",
  "28000": "it rejects this user",
  "28P01": "it rejects this user and password",
  "3D000": "the requested database does not exist",
  "53300": "all its connection slots are in use",
  "57P01": "it is shutting down",
  "57P03": "it is starting up or shutting down",
};

/** Patterns of driver error messages that have no code, each with a code and a reason. */
const uncoded: readonly (readonly [RegExp, string, string])[] = [
  [
    /^Connection terminated due to connection timeout|timeout exceeded when trying to connect/,
    "ETIMEDOUT",
    "the connection timed out, or all pool connections are busy",
  ],
  [
    /^Connection terminated|^Client has encountered a connection error|^Client was closed and is not queryable/,
    "ECONNRESET",
    "the connection was lost",
  ],
  [/SASL|SCRAM|unsupported authentication/i, "28P01", "authentication failed"],
];

/** SQLSTATE query_canceled: the statement timeout has passed, or a cancel request was sent. */
const cancelledCode = "57014";

/** Whether the server cancelled the statement. */
export const isCancelled = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === cancelledCode;

/** SQLSTATE for a read-only transaction, and the classes for system errors, resource errors and operator intervention. */
const staleStates = /^(25006|53|57P|58)/;

/**
 * Whether an error's cause may be specific to the connection, such as a session that has been read-only since a failover: another connection may succeed.
 */
export const isConnectionStale = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && staleStates.test(error.code);

/** Whether a database could not be used, or did not run a statement in time; another database may succeed. */
export const isUnavailable = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || isConnectionStale(error) || isCancelled(error);

/** SQLSTATE disk_full and read_only_sql_transaction. */
const unwritableStates = new Set(["53100", "25006"]);

/** Whether the database refuses writes, but may be readable. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof Error && "code" in error && typeof error.code === "string" && unwritableStates.has(error.code);

/** The passwords in a database URL, as written and decoded. */
export function secretsOf(url: string): readonly string[] {
  const passwords = [/^[a-z]+:\/\/[^/?#]*?:(.*)@/i.exec(url)?.[1], /[?&]password=([^&]*)/i.exec(url)?.[1]];
  return passwords.flatMap((secret) => (secret === undefined || secret === "" ? [] : [...new Set([secret, decoded(secret)])]));
}

/** The error to throw instead of the driver's: connection errors are described, and no error contains a secret. */
export function toSafeError(error: unknown, secrets: readonly string[], description?: DatabaseDescription): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof DatabaseUnavailable) return new DatabaseUnavailable(error.code, error.reason, description);
  const code = codeOf(error);
  const reason = unavailable[code];
  if (reason !== undefined) return new DatabaseUnavailable(code, reason, description);
  const match = uncoded.find(([pattern]) => pattern.test(error.message));
  if (match !== undefined) return new DatabaseUnavailable(match[1], match[2], description);
  return secrets.some((secret) => containsSecret(error, secret))
    ? new Error(`Database error withheld because its text contains a secret (${code || error.name}).`)
    : error;
}

/** An error's code; connecting to a host name with several addresses fails with one error per address, and the first one is used. */
function codeOf(error: Error): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code === "string") return code;
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : "";
}

function containsSecret(error: Error, secret: string): boolean {
  const texts = [error.message, error.stack, ...Object.values(error)];
  return texts.some((text) => typeof text === "string" && text.includes(secret));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
