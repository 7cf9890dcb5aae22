/** How messages describe a database, depending on how the operator configured it. */
export interface DatabaseDescription {
  /** The subject of their sentences, such as "The embedded PostgreSQL". */
  readonly name: string;
  /** What the operator should check. */
  readonly remedy: string;
  /** Why it cannot be used now, if more is known than the connection error; otherwise null. */
  readonly problem?: () => string | null;
}

const unnamed: DatabaseDescription = { name: "The database", remedy: "check DATABASE_URL" };

/** The database cannot be reached, or rejects the connection. The message contains neither address nor password. */
export class DatabaseUnavailable extends Error {
  override readonly name = "DatabaseUnavailable";
  /** The system's or the server's code, such as ECONNREFUSED or 28P01. */
  readonly code: string;
  readonly reason: string;
  /** For any reader: without the paths that the remedy may contain. */
  readonly summary: string;

  constructor(code: string, reason: string, { name, remedy, problem }: DatabaseDescription = unnamed) {
    const summary = `${name} cannot be used: ${problem?.() ?? `${reason} (${code})`}`;
    super(`${summary}; ${remedy}.`);
    this.code = code;
    this.reason = reason;
    this.summary = `${summary}.`;
  }
}

/** Codes of the system (errno) and of the server (SQLSTATE, PostgreSQL appendix A) for failed connections. */
const unavailable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at its address",
  ECONNRESET: "the connection broke",
  EPIPE: "the connection broke",
  EACCES: "its socket may not be opened",
  ENOENT: "its socket is not there",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name cannot be looked up now",
  EHOSTUNREACH: "its host cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  ETIMEDOUT: "it did not answer in time",
  ERR_INVALID_URL: "its address is not of the form postgresql://user:password@host:port/name",
  "28000": "it refuses this user",
  "28P01": "it refuses this user and password",
  "3D000": "it has no database of this name",
  "53300": "it has no connection left for us",
  "57P01": "it is being shut down",
  "57P03": "it is starting or stopping",
};

/** Messages of the driver's errors without a code. */
const uncoded: readonly (readonly [RegExp, string, string])[] = [
  [
    /^Connection terminated due to connection timeout|timeout exceeded when trying to connect/,
    "ETIMEDOUT",
    "it did not answer in time, or all its connections are busy",
  ],
  [
    /^Connection terminated|^Client has encountered a connection error|^Client was closed and is not queryable/,
    "ECONNRESET",
    "the connection broke",
  ],
  [/SASL|SCRAM|unsupported authentication/i, "28P01", "logging in failed"],
];

/** Every spelling of the password in a database URL. */
export function secretsOf(url: string): readonly string[] {
  const written = [/^[a-z]+:\/\/[^/?#]*?:(.*)@/i.exec(url)?.[1], /[?&]password=([^&]*)/i.exec(url)?.[1]];
  return written.flatMap((secret) => (secret === undefined || secret === "" ? [] : [...new Set([secret, decoded(secret)])]));
}

/** The error to throw in place of the driver's: connection errors are described, and none contains a secret. */
export function toSafeError(error: unknown, secrets: readonly string[], description?: DatabaseDescription): unknown {
  if (!(error instanceof Error)) return error;
  if (error instanceof DatabaseUnavailable) return new DatabaseUnavailable(error.code, error.reason, description);
  const code = codeOf(error);
  const known = unavailable[code];
  if (known !== undefined) return new DatabaseUnavailable(code, known, description);
  const match = uncoded.find(([pattern]) => pattern.test(error.message));
  if (match !== undefined) return new DatabaseUnavailable(match[1], match[2], description);
  return secrets.some((secret) => spells(error, secret))
    ? new Error(`The database reports an error that spells a secret (${code || error.name}).`)
    : error;
}

/** Connecting to a host name with several addresses fails with one error for each address. */
function codeOf(error: Error): string {
  const own = (error as { code?: unknown }).code;
  if (typeof own === "string") return own;
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : "";
}

function spells(error: Error, secret: string): boolean {
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
