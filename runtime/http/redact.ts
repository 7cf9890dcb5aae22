/** Anything that looks like a key or the start of one. */
const keyLike = /ckey_[0-9a-z]+/gi;
const credentialsInUrl = /\/\/[^\s/@]+@/g;
const filePath = /(?:file:\/\/|[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}/g;
/** knex prefixes database errors with the statement and " - ". */
const statement = /^\s*(?:select|insert|update|delete|with|create|alter|drop|begin|copy)\b.* - /is;
const maxMessageLength = 500;

/** Text without API keys. */
export const redact = (text: string): string => text.replace(keyLike, "ckey_[redacted]");

/** An error's message for the log: without keys, passwords, statements and file names. */
export const redactMessage = (text: string): string =>
  redact(text.slice(0, 10 * maxMessageLength))
    .replace(statement, "")
    .replace(credentialsInUrl, "//")
    .replace(filePath, "[path]")
    .slice(0, maxMessageLength);
