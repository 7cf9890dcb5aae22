/** An invalid configuration; the message has one line for each fault. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
