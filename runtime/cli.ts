import { readFileSync } from "node:fs";
import process from "node:process";
import { Command, InvalidArgumentError } from "commander";
import { audit } from "./commands/audit.ts";
import { findDemo } from "./commands/demo.ts";
import { doctor } from "./commands/doctor.ts";
import { indexChains } from "./commands/index-chains.ts";
import { createKey, listKeys, revokeKey } from "./commands/keys.ts";
import { migrateDatabase } from "./commands/migrate.ts";
import { nftStatus, refreshNfts } from "./commands/nfts.ts";
import { importPriceFile, rebuildPrices } from "./commands/prices.ts";
import { printRules } from "./commands/rules.ts";
import { serve } from "./commands/serve.ts";
import { start } from "./commands/start.ts";
import type { Config } from "./config/config.ts";
import { loadConfig } from "./config/load.ts";
import type { Address } from "./lib/hex.ts";
import { escapeTerminalLines } from "./lib/terminal-text.ts";

interface CommonOptions {
  readonly config?: string;
  readonly chain?: string;
  readonly rpc?: string;
  readonly from?: number;
  readonly validate?: string;
}

const wholeNumber = (text: string): number => {
  if (!/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(Number(text))) throw new InvalidArgumentError("a whole number is accepted.");
  return Number(text);
};

/** Credits are counted in hundredths, which must be exact as well. */
const credits = (text: string): number => {
  const value = wholeNumber(text);
  if (!Number.isSafeInteger(value * 100)) throw new InvalidArgumentError("a whole number up to 90 million million is accepted.");
  return value;
};

const contract = (text: string): Address => {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) throw new InvalidArgumentError("0x and 40 hex digits are accepted.");
  return text.toLowerCase() as Address;
};

const tokenId = (text: string): string => {
  if (!/^(0|[1-9]\d{0,77})$/.test(text) || BigInt(text) >= 2n ** 256n)
    throw new InvalidArgumentError("a whole number below 2^256 is accepted.");
  return text;
};

const versionOf = (): string => {
  const manifest = new URL(import.meta.url.includes("/dist/") ? "../../package.json" : "../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
};

const configOf = ({ config, ...overrides }: CommonOptions): Config => loadConfig(config, process.env, overrides);

const withConfig = (command: Command): Command => command.option("--config <file>", "the configuration", undefined);

const withChain = (command: Command): Command =>
  withConfig(command)
    .option("--chain <name>", "one chain: of the configuration, or any with --rpc")
    .option("--rpc <url>", "the node of that chain")
    .option("--from <block>", "the first block to index", wholeNumber);

const withOneChain = (command: Command): Command =>
  withConfig(command)
    .option("--chain <name>", "the chain, where several are configured, or any with --rpc")
    .option("--rpc <url>", "the node of that chain");

/** The configuration, in which the running demo is a chain that no file names. */
const configWithDemo = async (options: CommonOptions): Promise<Config> => {
  const { chain, ...others } = options;
  const base = configOf(chain === "demo" && options.rpc === undefined ? others : options);
  const demo = base.chains.length === 0 ? await findDemo() : null;
  const chainOfDemo = (await demo?.lastDemoChain(base.dataDirectory)) ?? null;
  return chainOfDemo === null ? base : { ...base, chains: [chainOfDemo] };
};

const program = new Command("ashlar").description("A blockchain data API that you run yourself.").version(versionOf()).showHelpAfterError();

const withValidate = (command: Command): Command =>
  withChain(command).option("--validate <mode>", "validation of requests and answers against the OpenAPI document: off, sample or strict");

withValidate(program.command("start"))
  .description("database, indexer and server in one; without a configured chain, the demo")
  .action((options: CommonOptions) => start(configOf(options), options.config));

withValidate(program.command("serve"))
  .description("answer requests from the index; until SIGTERM")
  .action((options: CommonOptions) => serve(configOf(options)));

withChain(program.command("index"))
  .description("index the configured chains; until SIGTERM")
  .action((options: CommonOptions) => indexChains(configOf(options)));

withConfig(program.command("migrate"))
  .description("bring the database's tables up to date")
  .action((options: CommonOptions) => migrateDatabase(configOf(options)));

withChain(program.command("audit"))
  .description("compare the index of a chain with its node; exits 1 on a difference")
  .option("--sample <number>", "how many of each kind are compared", wholeNumber, 1_000)
  .option("--at <block>", "the block whose state is compared; the indexed head unless given", wholeNumber)
  .action(async (options: CommonOptions & { sample: number; at?: number }) => {
    if (!(await audit(await configWithDemo(options), options))) process.exitCode = 1;
  });

program
  .command("doctor")
  .description("say what a node offers, and what follows from what it does not")
  .requiredOption("--rpc <url>", "the node")
  .option("--ws <url>", "its websocket, where that is at another address")
  .option("--from <block>", "the first block that would be indexed", wholeNumber)
  .action(async ({ rpc, ws, from }: { rpc: string; ws?: string; from?: number }) => {
    process.exitCode = await doctor(rpc, { webSocket: ws, from });
  });

withConfig(program.command("rules"))
  .description("print the rules of spam and token types that are in force, as a file to change and name as rulesFile")
  .action((options: CommonOptions) => printRules(configOf(options)));

const prices = program.command("prices").description("prices of a chain's tokens");
withOneChain(prices.command("import"))
  .description("take prices from a file: CSV lines asset,time,price in US dollars for one whole unit; all of it or nothing")
  .argument("<file>", "the file")
  .action(async (file: string, options: CommonOptions) => importPriceFile(await configWithDemo(options), file));
withOneChain(prices.command("rebuild"))
  .description("compute all prices again, as after a source was added")
  .action(async (options: CommonOptions) => rebuildPrices(await configWithDemo(options)));

const nfts = program.command("nfts").description("metadata of a chain's non-fungible tokens");
withOneChain(nfts.command("status"))
  .description("how many tokens of each collection wait, are read, and are refused, and why")
  .action(async (options: CommonOptions) => nftStatus(await configWithDemo(options)));
withOneChain(nfts.command("refresh"))
  .description("have the metadata of a collection read again, or that of one token")
  .argument("<collection>", "the collection's contract", contract)
  .argument("[token-id]", "one token", tokenId)
  .action(async (collection: Address, id: string | undefined, options: CommonOptions) =>
    refreshNfts(await configWithDemo(options), collection, id ?? null),
  );

const keys = program.command("keys").description("API keys");
withConfig(keys.command("create"))
  .description("make a key; it is shown once")
  .requiredOption("--label <text>", "what it is for")
  .option("--credits <number>", "how many credits it may use", credits)
  .action((options: CommonOptions & { label: string; credits?: number }) => createKey(configOf(options), options.label, options.credits));
withConfig(keys.command("list"))
  .description("all keys, and what they used")
  .action((options: CommonOptions) => listKeys(configOf(options)));
withConfig(keys.command("revoke"))
  .description("end a key; servers stop accepting it within 5 seconds")
  .argument("<number>", "the key's number, as in the list", wholeNumber)
  .action(async (id: number, options: CommonOptions) => {
    if (await revokeKey(configOf(options), id)) return;
    process.stderr.write(`No active key has the number ${id}; ashlar keys list shows all.\n`);
    process.exitCode = 1;
  });

/** A reader that ended, a terminal that hung up, and what is written after either. */
const closedOutput = ["EPIPE", "EIO", "ERR_STREAM_DESTROYED"];
// A reader may end before we do, as head does: what it does not read is dropped, and the command goes on to its own end.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (!closedOutput.includes(error.code ?? "")) throw error;
  });
}

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${escapeTerminalLines(error instanceof Error ? error.message : String(error))}\n`);
  process.exitCode = 1;
}
