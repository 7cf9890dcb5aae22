import { readSecret } from "./secret-variables.ts";
import { isSettings, type Settings } from "./settings-file.ts";

/** The URLs in a text, separated by white space. */
export const urlsIn = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Converts the entries of `databases` to maps: a URL is short for a map with it, and an empty entry takes its URL from the environment. */
export function withDatabaseMaps(settings: Settings): Settings {
  const { databases } = settings;
  if (!isSettings(databases)) return settings;
  const mapOf = (value: unknown): unknown => (typeof value === "string" ? { url: value } : (value ?? {}));
  return { ...settings, databases: Object.fromEntries(Object.entries(databases).map(([name, value]) => [name, mapOf(value)])) };
}

/** A database's variables, without the prefix `DATABASE_NAME_`, and their settings. */
const variables = { URL: "url", READ_URLS: "readUrls", COMMUNITY_URL: "communityDatabaseUrl" } as const;

/**
 * Returns `databases` with the settings from environment variables, such as DATABASE_MY_DB_URL for `my-db`.
 * @throws {ConfigError} if a file cannot be read.
 */
export function databasesFromEnvironment(databases: Settings, environment: NodeJS.ProcessEnv, origins: Map<string, string>): Settings {
  const found: Settings = { ...databases };
  for (const [name, section] of Object.entries(databases)) {
    if (!isSettings(section)) continue;
    for (const [suffix, setting] of Object.entries(variables)) {
      const variable = `DATABASE_${name.toUpperCase().replaceAll("-", "_")}_${suffix}`;
      const text = readSecret(environment, variable);
      if (text === undefined || text === "") continue;
      found[name] = { ...(found[name] as Settings), [setting]: setting === "readUrls" ? urlsIn(text) : text };
      origins.set(`databases.${name}.${setting}`, variable);
    }
  }
  return found;
}
