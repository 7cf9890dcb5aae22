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

/** Reads ashlar.yaml (if there is one), the environment and the command line, the later ones winning. @throws {ConfigError} */
export function loadConfig(path: string | undefined, environment: NodeJS.ProcessEnv, overrides: ConfigOverrides = {}): Config {
  const file = path ?? "ashlar.yaml";
  if (path !== undefined && !existsSync(path)) throw new ConfigError(`${path} does not exist; give the path of a configuration file.`);
  const fromFile = existsSync(file) ? readYaml(file) : {};
  const merged = merge(fromFile, environment, overrides);
  return parseConfig(file, Array.isArray(merged.chains) ? { ...merged, chains: merged.chains.map(presetBelow) } : merged);
}

function readYaml(file: string): Record<string, unknown> {
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(file, "utf8"), { lineCounter: lines });
  const faults = document.errors.map((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    return `${file}:${line}:${col} ${error.message.split("\n")[0]}`;
  });
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
  const value: unknown = document.toJS() ?? {};
  if (typeof value !== "object" || Array.isArray(value)) throw new ConfigError(`${file}: a map of settings is expected.`);
  return value as Record<string, unknown>;
}

function merge(fromFile: Record<string, unknown>, environment: NodeJS.ProcessEnv, overrides: ConfigOverrides): Record<string, unknown> {
  const merged = { ...fromFile };
  if (environment.DATABASE_URL) merged.databaseUrl = environment.DATABASE_URL;
  if (environment.ASHLAR_DATA_DIR) merged.dataDirectory = environment.ASHLAR_DATA_DIR;
  if (environment.PORT) merged.port = wholeNumber("PORT", environment.PORT);
  if (environment.HOST) merged.host = environment.HOST;
  if (environment.ASHLAR_LOG_LEVEL) merged.logLevel = environment.ASHLAR_LOG_LEVEL;
  if (overrides.rpc !== undefined || overrides.chain !== undefined) merged.chains = [chainOf(fromFile, overrides)];
  return merged;
}

/** `--chain NAME` picks a chain of the file; with `--rpc` any other network is described by the command line alone. */
function chainOf(fromFile: Record<string, unknown>, overrides: ConfigOverrides): Record<string, unknown> {
  const configured = Array.isArray(fromFile.chains) ? (fromFile.chains as Record<string, unknown>[]) : [];
  const base = configured.find((chain) => chain.name === overrides.chain);
  if (overrides.chain === undefined) throw new ConfigError("--rpc was given without --chain; name the chain, such as --chain my-chain.");
  if (base === undefined && overrides.rpc === undefined) {
    const names = configured.map((chain) => chain.name).join(", ") || "none";
    throw new ConfigError(
      `--chain ${overrides.chain} is not configured (configured: ${names}); add it to ashlar.yaml or give its node with --rpc URL.`,
    );
  }
  const chain = {
    ...base,
    name: overrides.chain,
    ...(overrides.rpc === undefined ? {} : { rpc: overrides.rpc }),
    ...(overrides.from === undefined ? {} : { from: overrides.from }),
    ...(overrides.chainId === undefined ? {} : { id: overrides.chainId }),
  };
  return { nativeAccounting: "traces", ...withPreset(chain) };
}

/** What is no map of settings is left to the check of the whole. */
const presetBelow = (chain: unknown): unknown => (typeof chain === "object" && chain !== null ? withPreset(chain) : chain);

function wholeNumber(name: string, text: string): number {
  if (!/^(0|[1-9]\d*)$/.test(text)) throw new ConfigError(`${name}=${text} was given, a whole number is accepted.`);
  return Number(text);
}

function parseConfig(file: string, value: unknown): Config {
  const outcome = config.safeParse(value);
  if (!outcome.success) throw new ConfigError(outcome.error.issues.map((issue) => `${file}: ${place(issue)}: ${issue.message}`).join("\n"));
  const duplicates = outcome.data.chains.filter(
    (chain, index, all) => all.findIndex((other) => other.name === chain.name || other.id === chain.id) !== index,
  );
  if (duplicates.length > 0)
    throw new ConfigError(
      `${file}: chains: ${duplicates.map((chain) => `${chain.name} (${chain.id})`).join(", ")} stands twice; each name and id once.`,
    );
  return outcome.data;
}

const place = (issue: z.core.$ZodIssue): string => (issue.path.length === 0 ? "the configuration" : issue.path.join("."));
