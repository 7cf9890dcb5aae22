import { existsSync, readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import type { z } from "zod";
import { type Config, config } from "./config.ts";
import { withPreset } from "./presets/index.ts";

/** A configuration that cannot be used, with every reason. */
class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** Settings of the command line; each wins over the file's. */
export interface ConfigOverrides {
  readonly chain?: string | undefined;
  readonly rpc?: string | undefined;
  readonly from?: number | undefined;
  readonly chainId?: number | undefined;
}

type Settings = Record<string, unknown>;
/** Where a setting comes from when it is not the file: by its place, as in `chains.0.rpc`. */
type Origins = Map<string, string>;

/** Environment variables and the settings that they win over. */
const variables = {
  DATABASE_URL: "databaseUrl",
  ASHLAR_DATA_DIR: "dataDirectory",
  PORT: "port",
  HOST: "host",
  ASHLAR_LOG_LEVEL: "logLevel",
} as const;

/** Reads ashlar.yaml (if there is one), the environment and the command line, the later ones winning. @throws {ConfigError} */
export function loadConfig(path: string | undefined, environment: NodeJS.ProcessEnv, overrides: ConfigOverrides = {}): Config {
  const file = path ?? "ashlar.yaml";
  if (path !== undefined && !existsSync(path)) throw new ConfigError(`${path} does not exist; give the path of a configuration file.`);
  const fromFile = existsSync(file) ? readYaml(file) : {};
  const origins: Origins = new Map();
  const settings = { ...fromFile, ...fromEnvironment(environment, origins), ...fromCommandLine(fromFile, overrides, origins) };
  return parseConfig(file, { ...settings, ...withPresets(settings.chains) }, origins);
}

/** What is no list of maps is left to the check of the whole. */
const withPresets = (chains: unknown): Settings =>
  Array.isArray(chains) ? { chains: chains.map((chain: unknown) => (isSettings(chain) ? withPreset(chain) : chain)) } : {};

function readYaml(file: string): Settings {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines });
  const faults = document.errors.map((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    return `${file}:${line}:${col} ${error.message.split("\n")[0]}`;
  });
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch (error) {
    // Aliases without an anchor, or too many of them, are found only now.
    throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new ConfigError(`${file}: a map of settings is expected.`);
  return value as Settings;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"}).`);
  }
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

/** `--chain NAME` picks a chain of the file; with `--rpc` any other network is described by the command line alone. */
function fromCommandLine(fromFile: Settings, { chain, rpc, from, chainId }: ConfigOverrides, origins: Origins): Settings {
  if (chain === undefined) {
    const lone = rpc !== undefined ? "--rpc" : from !== undefined ? "--from" : undefined;
    if (lone === undefined) return {};
    throw new ConfigError(`${lone} was given without --chain; name the chain, such as --chain my-chain.`);
  }
  const configured = Array.isArray(fromFile.chains) ? (fromFile.chains as unknown[]).filter(isSettings) : [];
  const base = configured.find(({ name }) => name === chain);
  if (base === undefined && rpc === undefined) {
    const names = configured.map(({ name }) => name).join(", ") || "none";
    throw new ConfigError(
      `--chain ${chain} is not configured (configured: ${names}); add it to ashlar.yaml or give its node with --rpc URL.`,
    );
  }
  const given = Object.entries({ name: chain, rpc, from, id: chainId }).filter(([, value]) => value !== undefined);
  for (const [setting] of given) origins.set(`chains.0.${setting}`, setting === "name" ? "--chain" : `--${setting}`);
  return { chains: [withPreset({ ...base, ...Object.fromEntries(given) })] };
}

const isSettings = (value: unknown): value is Settings => typeof value === "object" && value !== null && !Array.isArray(value);

function parseConfig(file: string, settings: Settings, origins: Origins): Config {
  const outcome = config.safeParse(settings);
  if (!outcome.success)
    throw new ConfigError(outcome.error.issues.map((issue) => `${place(file, issue, origins)}: ${issue.message}`).join("\n"));
  const { chains } = outcome.data;
  const twins = chains.filter(({ name, id }, index) =>
    chains.slice(0, index).some((other) => other.name === name || (id !== undefined && other.id === id)),
  );
  if (twins.length === 0) return outcome.data;
  const listed = twins.map(({ name, id }) => (id === undefined ? name : `${name} (${id})`)).join(", ");
  throw new ConfigError(`${file}: chains: ${listed} stands twice; each name and id once.`);
}

function place(file: string, { path }: z.core.$ZodIssue, origins: Origins): string {
  const setting = path.join(".");
  return origins.get(setting) ?? `${file}: ${setting === "" ? "the configuration" : setting}`;
}
