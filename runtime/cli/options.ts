import process from "node:process";
import type { Command } from "commander";
import { parseInteger, parseJobs, parseWorkers } from "../commands/option-values.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";

/** Options that several commands share. */
export interface CommonOptions {
  readonly config?: string;
  readonly chain?: string;
  readonly rpc?: string;
  readonly from?: number;
  readonly validate?: string;
  readonly workers?: number | string;
}

export const loadConfigWith = ({ config, ...overrides }: CommonOptions): Config => loadConfig(config, process.env, overrides);

export const withConfig = (command: Command): Command =>
  command.option(
    "--config <file>",
    "the configuration file (default: ashlar.yaml in the current directory, or in the nearest parent directory that has one)",
  );

export const withChain = (command: Command): Command =>
  withConfig(command)
    .option("--chain <name>", "use only this chain: a configured one, or any other together with --rpc")
    .option("--rpc <url>", "the URL of the chain's node")
    .option("--from <block>", "the first block to index", parseInteger("--from"));

export const withOneChain = (command: Command): Command =>
  withConfig(command)
    .option("--chain <name>", "the chain to use, if several are configured, or any other together with --rpc")
    .option("--rpc <url>", "the URL of the chain's node");

/** The configuration; if it configures no chain, with the last demo's chain. */
export const configWithDemo = async (options: CommonOptions): Promise<Config> => {
  const { chain, ...others } = options;
  const base = loadConfigWith(chain === "demo" && options.rpc === undefined ? others : options);
  const demo = base.chains.length === 0 ? await (await import("../commands/demo.ts")).findDemo() : null;
  const chainOfDemo = (await demo?.lastDemoChain(base.dataDirectory)) ?? null;
  return chainOfDemo === null ? base : { ...base, chains: [chainOfDemo] };
};

const withValidate = (command: Command): Command =>
  withChain(command).option("--validate <mode>", "validate requests and responses against the OpenAPI document: off, sample or strict");

export const withServer = (command: Command): Command =>
  withValidate(command).option("--workers <number>", "the processes that serve requests, or auto for one per core", parseWorkers);

export const withJobs = (command: Command): Command =>
  withConfig(command).option("--jobs <number>", "how many tables to copy concurrently (default: one per core, at most 4)", parseJobs);
export const withDatabase = (command: Command): Command =>
  withJobs(command).option(
    "--database <name>",
    "one of databases in ashlar.yaml, or control for the database of databaseUrl (default: the database of --chain, otherwise control)",
  );
