/** Whatever looks like a key or the beginning of one. */
const keyLike = /ckey_[0-9a-z]+/gi;
const credentialsInUrl = /\/\/[^\s/@]+@/g;
const filePath = /(?:file:\/\/|[A-Za-z]:)?(?:[\\/][\w.@+-]+){2,}/g;
/** knex puts the statement before the database's own words, parted by " - ". */
const statement = /^\s*(?:select|insert|update|delete|with|create|alter|drop|begin|copy)\b.* - /is;
const longestMessage = 500;

/** Text without API keys. */
export const redact = (text: string): string => text.replace(keyLike, "ckey_[redacted]");

/** An error's message for the log: without keys, passwords, statements and file names. */
export const redactMessage = (text: string): string =>
  redact(text.slice(0, 10 * longestMessage))
    .replace(statement, "")
    .replace(credentialsInUrl, "//")
    .replace(filePath, "[path]")
    .slice(0, longestMessage);
