/** A configuration that cannot be used, with every reason. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}
