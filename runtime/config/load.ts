import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import { cwd } from "node:process";
import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";
import { parseConfig } from "./parse-config.ts";
import { withPreset } from "./presets/index.ts";
import { dataFolderName, findProjectFolder, settingsFileName } from "./project-folder.ts";
import { isSettings, readSettingsFile, type Settings } from "./settings-file.ts";

/** Settings of the command line, which override those of the file. */
export interface ConfigOverrides {
  readonly chain?: string | undefined;
  readonly rpc?: string | undefined;
  readonly from?: number | undefined;
  readonly chainId?: number | undefined;
  readonly validate?: string | undefined;
}

/** Where the search for ashlar.yaml and .ashlar starts, and the home directory, where it ends. */
export interface SearchStart {
  readonly workingFolder: string;
  readonly home: string;
}

/** The variables and options of settings that do not come from the file, by path (`chains.0.rpc`). */
type Origins = Map<string, string>;

/** Environment variables and the settings that they override. */
const variables = {
  DATABASE_URL: "databaseUrl",
  ASHLAR_DATA_DIR: "dataDirectory",
  PORT: "port",
  HOST: "host",
  ASHLAR_LOG_LEVEL: "logLevel",
  ASHLAR_LOG_FORMAT: "logFormat",
} as const;

/**
 * Loads the configuration file (`path`, or else the ashlar.yaml of the project folder, if it exists), environment variables and command-line options; later
 * ones override earlier ones. Paths are made absolute: those in the file are relative to it, others to the working folder. @throws {ConfigError}
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
    throw new ConfigError(`Invalid value "${path}" for --config: no such file; give the path of a configuration file.`);
  const read = existsSync(file) ? readSettingsFile(file, name) : null;
  const fromFile = withAbsolutePaths(read?.settings ?? {}, dirname(file));
  const elsewhere: Origins = new Map();
  const picked = fromCommandLine(fromFile, overrides, elsewhere);
  const settings: Settings = { dataDirectory: join(project, dataFolderName), ...fromFile, ...fromEnvironment(environment, elsewhere) };
  const chains = picked === null ? settings.chains : [picked.chain];
  if (overrides.validate !== undefined) elsewhere.set("validate", "--validate");
  const validate = overrides.validate === undefined ? {} : { validate: overrides.validate };
  const origin = { name, file: read, elsewhere, pickedChain: picked?.position ?? null };
  const config = parseConfig({ ...settings, ...validate, ...withPresets(chains) }, origin);
  // A path of ASHLAR_DATA_DIR is still relative.
  return { ...config, dataDirectory: resolve(workingFolder, config.dataDirectory) };
}

/** Chains with their presets. Values of another type are left to the schema, which rejects them. */
const withPresets = (chains: unknown): Settings =>
  chains === undefined
    ? {}
    : { chains: Array.isArray(chains) ? chains.map((chain: unknown) => (isSettings(chain) ? withPreset(chain) : chain)) : chains };

/** Settings of a file with absolute paths. Values of another type are left to the schema, which rejects them. */
function withAbsolutePaths(settings: Settings, folder: string): Settings {
  const absolute = (value: unknown): unknown => (typeof value === "string" && value !== "" ? resolve(folder, value) : value);
  const where = (section: Settings, name: string, change: (value: unknown) => unknown): Settings =>
    name in section ? { [name]: change(section[name]) } : {};
  const each = (change: (value: unknown) => unknown) => (value: unknown) => (Array.isArray(value) ? value.map(change) : value);
  const chain = (value: unknown): unknown =>
    isSettings(value)
      ? {
          ...value,
          ...where(value, "labelsFile", absolute),
          ...where(value, "tokenListFile", absolute),
          ...where(value, "abiFiles", each(absolute)),
        }
      : value;
  return {
    ...settings,
    ...where(settings, "dataDirectory", absolute),
    ...where(settings, "rulesFile", absolute),
    ...where(settings, "chains", each(chain)),
  };
}

function fromEnvironment(environment: NodeJS.ProcessEnv, origins: Origins): Settings {
  const settings: Settings = {};
  for (const [variable, setting] of Object.entries(variables)) {
    const text = environment[variable];
    if (text === undefined || text === "") continue;
    settings[setting] = setting === "port" && /^(0|[1-9]\d*)$/.test(text) ? Number(text) : text;
    origins.set(setting, variable);
  }
  return settings;
}

/** `--chain NAME` selects a chain of the file; with `--rpc`, the options alone may configure any other network. */
function fromCommandLine(
  fromFile: Settings,
  { chain, rpc, from, chainId }: ConfigOverrides,
  origins: Origins,
): { readonly chain: Settings; readonly position: number | null } | null {
  if (chain === undefined) {
    const lone = rpc !== undefined ? "--rpc" : from !== undefined ? "--from" : undefined;
    if (lone === undefined) return null;
    throw new ConfigError(`Missing option --chain: ${lone} requires it; name the chain, such as --chain my-chain.`);
  }
  const configured: unknown[] = Array.isArray(fromFile.chains) ? fromFile.chains : [];
  const position = configured.findIndex((candidate) => isSettings(candidate) && candidate.name === chain);
  if (position < 0 && rpc === undefined) {
    const names = configured.flatMap((candidate) => (isSettings(candidate) ? [String(candidate.name)] : [])).join(", ") || "none";
    throw new ConfigError(
      `Invalid value "${chain}" for --chain: expected a configured chain (${names}); add it to ashlar.yaml or give its node with --rpc URL.`,
    );
  }
  const given = Object.entries({ name: chain, rpc, from, id: chainId }).filter(([, value]) => value !== undefined);
  for (const [setting] of given) origins.set(`chains.0.${setting}`, setting === "name" ? "--chain" : `--${setting}`);
  const base = position < 0 ? {} : (configured[position] as Settings);
  return { chain: { ...base, ...Object.fromEntries(given) }, position: position < 0 ? null : position };
}
