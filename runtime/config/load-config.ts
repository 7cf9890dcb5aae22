import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { cwd } from "node:process";
import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { databasesFromEnvironment, urlsIn, withDatabaseMaps } from "./database-variables.ts";
import { parseConfig } from "./parse-config.ts";
import { withPreset } from "./presets/index.ts";
import { dataDirectoryName, findProjectFolder, settingsFileName } from "./project-folder.ts";
import { readSecret } from "./secret-variables.ts";
import { isSettings, readSettingsFile, type Settings } from "./settings-file.ts";

/** Settings from the command line, which override those in the file. */
export interface ConfigOverrides {
  readonly chain?: string | undefined;
  readonly rpc?: string | undefined;
  readonly from?: number | undefined;
  readonly chainId?: number | undefined;
  readonly validate?: string | undefined;
  readonly workers?: number | string | undefined;
}

/** The folder in which the search for ashlar.yaml and .ashlar starts, and the home directory, at which it ends. */
export interface SearchStart {
  readonly workingFolder: string;
  readonly home: string;
}

/** The environment variables and options that set settings outside the file, by setting path (`chains.0.rpc`). */
type Origins = Map<string, string>;

/** Environment variables and the settings that they override. */
const variables = {
  DATABASE_URL: "databaseUrl",
  DATABASE_READ_URLS: "readUrls",
  COMMUNITY_DATABASE_URL: "communityDatabaseUrl",
  ASHLAR_DATA_DIR: "dataDirectory",
  PORT: "port",
  HOST: "host",
  ASHLAR_LOG_LEVEL: "logLevel",
  ASHLAR_LOG_FORMAT: "logFormat",
  METRICS_PORT: "metrics.port",
  METRICS_HOST: "metrics.host",
  METRICS_TOKEN: "metrics.bearerToken",
  CONSOLE_PORT: "console.port",
  CONSOLE_HOST: "console.host",
  TRACES_ENDPOINT: "tracing.endpoint",
} as const;

/** The variables whose values are secrets. */
const secretVariables: ReadonlySet<string> = new Set(["DATABASE_URL", "DATABASE_READ_URLS", "COMMUNITY_DATABASE_URL", "METRICS_TOKEN"]);

/**
 * Loads the configuration file (`path`, otherwise the ashlar.yaml of the project folder, if it exists), environment variables and command-line options; later
 * sources override earlier ones. Paths are made absolute: paths in the file are relative to it, others to the working folder. @throws {ConfigError}
 */
export function loadConfig(
  path: string | undefined,
  environment: NodeJS.ProcessEnv,
  overrides: ConfigOverrides = {},
  { workingFolder, home }: SearchStart = { workingFolder: cwd(), home: homedir() },
): Config {
  const project = findProjectFolder(workingFolder, home) ?? workingFolder;
  const file = path === undefined ? join(project, settingsFileName) : resolve(workingFolder, path);
  const name = path ?? (relative(workingFolder, file) || file);
  if (path !== undefined && !existsSync(file))
    throw new ConfigError(`Invalid value "${path}" for --config: no such file; pass the path of a configuration file.`);
  const read = existsSync(file) ? readSettingsFile(file, name) : null;
  const fromFile = withDatabaseMaps(withAbsolutePaths(read?.settings ?? {}, dirname(file)));
  const origins: Origins = new Map();
  const selected = fromCommandLine(fromFile, overrides, origins);
  const settings = fromEnvironment({ dataDirectory: join(project, dataDirectoryName), ...fromFile }, environment, origins);
  const chains = selected === null ? settings.chains : [selected.chain];
  const options = Object.fromEntries(
    (["validate", "workers"] as const).flatMap((option) => (overrides[option] === undefined ? [] : [[option, overrides[option]]])),
  );
  for (const option of Object.keys(options)) origins.set(option, `--${option}`);
  const origin = { name, file: read, overriddenBy: origins, selectedChainIndex: selected?.position ?? null };
  const config = parseConfig({ ...settings, ...options, ...withPresets(chains) }, origin);
  // A path from ASHLAR_DATA_DIR is still relative.
  return { ...config, dataDirectory: resolve(workingFolder, config.dataDirectory) };
}

/** Chains with their presets. Values of the wrong type are passed on to the schema, which rejects them. */
const withPresets = (chains: unknown): Settings =>
  chains === undefined
    ? {}
    : { chains: Array.isArray(chains) ? chains.map((chain: unknown) => (isSettings(chain) ? withPreset(chain) : chain)) : chains };

/** Settings from a file, with absolute paths. Values of the wrong type are passed on to the schema, which rejects them. */
function withAbsolutePaths(settings: Settings, folder: string): Settings {
  const absolute = (value: unknown): unknown => (typeof value === "string" && value !== "" ? resolve(folder, value) : value);
  const changeSetting = (section: Settings, name: string, change: (value: unknown) => unknown): Settings =>
    name in section ? { [name]: change(section[name]) } : {};
  const each = (change: (value: unknown) => unknown) => (value: unknown) => (Array.isArray(value) ? value.map(change) : value);
  const chain = (value: unknown): unknown =>
    isSettings(value)
      ? {
          ...value,
          ...changeSetting(value, "labelsFile", absolute),
          ...changeSetting(value, "tokenListFile", absolute),
          ...changeSetting(value, "abiFiles", each(absolute)),
        }
      : value;
  return {
    ...settings,
    ...changeSetting(settings, "dataDirectory", absolute),
    ...changeSetting(settings, "rulesFile", absolute),
    ...changeSetting(settings, "communityDirectory", absolute),
    ...changeSetting(settings, "chains", each(chain)),
  };
}

/** Settings, overridden by environment variables. A section of the wrong type is passed on to the schema, which rejects it. */
function fromEnvironment(fromFile: Settings, environment: NodeJS.ProcessEnv, origins: Origins): Settings {
  const settings: Settings = { ...fromFile };
  for (const [variable, setting] of Object.entries(variables)) {
    const text = secretVariables.has(variable) ? readSecret(environment, variable) : environment[variable];
    if (text === undefined || text === "") continue;
    const [name = "", section] = setting.split(".").reverse();
    const value = toValue(name, text);
    const inFile = section === undefined ? settings : (settings[section] ?? {});
    if (section === undefined) settings[name] = value;
    else if (isSettings(inFile)) settings[section] = { ...inFile, [name]: value };
    origins.set(setting, variable);
  }
  if (!isSettings(settings.databases)) return settings;
  return { ...settings, databases: databasesFromEnvironment(settings.databases, environment, origins) };
}

/** Converts a variable's text to a setting's value. */
function toValue(setting: string, text: string): unknown {
  if (setting === "readUrls") return urlsIn(text);
  return setting === "port" && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text;
}

/** `--chain NAME` selects a chain in the file; together with `--rpc` it may also configure a network that is not in the file. */
function fromCommandLine(
  fromFile: Settings,
  { chain, rpc, from, chainId }: ConfigOverrides,
  origins: Origins,
): { readonly chain: Settings; readonly position: number | null } | null {
  if (chain === undefined) {
    const option = rpc !== undefined ? "--rpc" : from !== undefined ? "--from" : undefined;
    if (option === undefined) return null;
    throw new ConfigError(`Missing option --chain: ${option} requires it; pass the name of the chain, such as --chain my-chain.`);
  }
  const configured: unknown[] = Array.isArray(fromFile.chains) ? fromFile.chains : [];
  const position = configured.findIndex((candidate) => isSettings(candidate) && candidate.name === chain);
  if (position < 0 && rpc === undefined) {
    const names = configured.flatMap((candidate) => (isSettings(candidate) ? [String(candidate.name)] : [])).join(", ") || "none";
    throw new ConfigError(
      `Invalid value "${chain}" for --chain: expected a configured chain (${names}); add it to ashlar.yaml or pass its node URL with --rpc URL.`,
    );
  }
  const overridden = Object.entries({ name: chain, rpc, from, id: chainId }).filter(([, value]) => value !== undefined);
  for (const [setting] of overridden) origins.set(`chains.0.${setting}`, setting === "name" ? "--chain" : `--${setting}`);
  const base = position < 0 ? {} : (configured[position] as Settings);
  return { chain: { ...base, ...Object.fromEntries(overridden) }, position: position < 0 ? null : position };
}
