import { type Config, config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { renderIssue, type SettingsOrigin } from "./render-issue.ts";

/** Checks settings and fills in defaults. @throws {ConfigError} with one line for each invalid setting. */
export function parseConfig(settings: unknown, origin: SettingsOrigin): Config {
  // An empty message makes `renderIssue` describe the accepted values, instead of using Zod's own text.
  const outcome = config.safeParse(settings, { error: () => "" });
  if (!outcome.success) throw new ConfigError(outcome.error.issues.flatMap((issue) => renderIssue(issue, settings, origin)).join("\n"));
  requireDistinctChains(outcome.data, origin);
  requireReplicated(outcome.data, origin);
  return outcome.data;
}

function requireReplicated({ readUrls, databaseUrl }: Config, origin: SettingsOrigin): void {
  if (readUrls.length > 0 && databaseUrl === undefined)
    throw new ConfigError(`${origin.name}: Invalid readUrls: the embedded database has no replicas; set databaseUrl, or remove readUrls.`);
}

function requireDistinctChains({ chains }: Config, origin: SettingsOrigin): void {
  const duplicates = chains.filter(({ name, id }, index) =>
    chains.slice(0, index).some((other) => other.name === name || (id !== undefined && other.id === id)),
  );
  if (duplicates.length === 0) return;
  const listed = duplicates.map(({ name, id }) => (id === undefined ? name : `${name} (${id})`)).join(", ");
  throw new ConfigError(`${origin.name}: Duplicate chain ${listed}; configure each name and each id once.`);
}
