import { type Config, configSchema } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { renderInvalid, renderIssue, type SettingsOrigin } from "./render-issue.ts";

/** Checks settings and fills in defaults. @throws {ConfigError} with one line for each invalid setting. */
export function parseConfig(settings: unknown, origin: SettingsOrigin): Config {
  // An empty message makes `renderIssue` describe the accepted values, instead of using Zod's own text.
  const outcome = configSchema.safeParse(settings, { error: () => "" });
  if (!outcome.success) throw new ConfigError(outcome.error.issues.flatMap((issue) => renderIssue(issue, settings, origin)).join("\n"));
  requireDistinctChains(outcome.data, origin);
  requireReplicated(outcome.data, origin);
  requireDatabases(outcome.data, origin);
  return outcome.data;
}

function requireReplicated({ readUrls, databaseUrl }: Config, origin: SettingsOrigin): void {
  if (readUrls.length > 0 && databaseUrl === undefined)
    throw new ConfigError(`${origin.name}: Invalid readUrls: the embedded database has no replicas; set databaseUrl, or remove readUrls.`);
}

/** Checks that chains' databases are configured, and that no two databases have the same URL. */
function requireDatabases({ databases, databaseUrl, chains }: Config, origin: SettingsOrigin): void {
  const names = Object.keys(databases);
  const problems = chains.flatMap(({ database }, index) =>
    database === undefined || names.includes(database)
      ? []
      : [
          renderInvalid(
            ["chains", index, "database"],
            database,
            names.length === 0
              ? "no value, because no databases are configured"
              : `the name of a configured database (${names.join(", ")})`,
            origin,
          ),
        ],
  );
  if (names.length > 0 && databaseUrl === undefined)
    problems.push(
      `${origin.name}: Missing setting databaseUrl: with databases, it is the URL of the control database, which stores keys and credits.`,
    );
  const urls = [["databaseUrl", databaseUrl] as const, ...names.map((name) => [`databases.${name}`, databases[name]?.url] as const)];
  for (const [position, name] of names.entries()) {
    const duplicate = urls.slice(0, position + 1).find(([, url]) => url === databases[name]?.url);
    if (duplicate !== undefined)
      problems.push(renderInvalid(["databases", name, "url"], "", `a URL that differs from that of ${duplicate[0]}`, origin));
  }
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
}

function requireDistinctChains({ chains }: Config, origin: SettingsOrigin): void {
  const duplicates = chains.filter(({ name, id }, index) =>
    chains.slice(0, index).some((other) => other.name === name || (id !== undefined && other.id === id)),
  );
  if (duplicates.length === 0) return;
  const listed = duplicates.map(({ name, id }) => (id === undefined ? name : `${name} (${id})`)).join(", ");
  throw new ConfigError(`${origin.name}: Duplicate chain ${listed}; configure each name and each id once.`);
}
