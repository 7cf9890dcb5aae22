/** An invalid configuration; the message has one line per issue. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
