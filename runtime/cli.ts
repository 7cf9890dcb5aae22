import { readFileSync } from "node:fs";
import process from "node:process";
import { Command } from "commander";
import type { BackupOptions } from "./commands/backup.ts";
import type { RefreshCommand, RemoveCommand, RepairCommand, RetryCommand } from "./commands/chains-command.ts";
import { parseChains, parseExpiry, parseExpiryOrNever, parseNetworks, parseOrigins } from "./commands/key-options.ts";
import type { CreateOptions, UpdateOptions } from "./commands/keys.ts";
import {
  parseAddress,
  parseAddresses,
  parseCredits,
  parseCreditsOrUnlimited,
  parseInteger,
  parseJobs,
  parseLimits,
  parseTokenId,
  parseWorkers,
} from "./commands/option-values.ts";
import type { RestoreCommandOptions } from "./commands/restore.ts";
import type { UpgradeCommand } from "./commands/upgrade-database.ts";
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
  readonly workers?: number | string;
}

interface NewOptions {
  readonly config?: string;
  readonly directory?: string;
  readonly chain: string;
  readonly contract?: readonly Address[];
}

const readVersion = (): string => {
  const manifest = new URL(import.meta.url.includes("/dist/") ? "../../package.json" : "../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
};

const loadConfigWith = ({ config, ...overrides }: CommonOptions): Config => loadConfig(config, process.env, overrides);

const withConfig = (command: Command): Command =>
  command.option(
    "--config <file>",
    "the configuration file (default: ashlar.yaml in the current directory or its nearest parent directory)",
  );

const withChain = (command: Command): Command =>
  withConfig(command)
    .option("--chain <name>", "use only this chain: a configured one, or any other together with --rpc")
    .option("--rpc <url>", "the URL of the chain's node")
    .option("--from <block>", "the first block to index", parseInteger("--from"));

const withOneChain = (command: Command): Command =>
  withConfig(command)
    .option("--chain <name>", "the chain to use, if several are configured, or any other together with --rpc")
    .option("--rpc <url>", "the URL of the chain's node");

/** The configuration; if it configures no chain, with the chain of the demo that last ran. */
const configWithDemo = async (options: CommonOptions): Promise<Config> => {
  const { chain, ...others } = options;
  const base = loadConfigWith(chain === "demo" && options.rpc === undefined ? others : options);
  const demo = base.chains.length === 0 ? await (await import("./commands/demo.ts")).findDemo() : null;
  const chainOfDemo = (await demo?.lastDemoChain(base.dataDirectory)) ?? null;
  return chainOfDemo === null ? base : { ...base, chains: [chainOfDemo] };
};

// Each action imports its own command, because loading the modules of all commands takes half a second.
const program = new Command("ashlar")
  .description("A self-hosted blockchain data API.")
  .version(readVersion())
  .showHelpAfterError()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())) });

const withValidate = (command: Command): Command =>
  withChain(command).option("--validate <mode>", "validate requests and responses against the OpenAPI document: off, sample or strict");

const withServer = (command: Command): Command =>
  withValidate(command).option("--workers <number>", "the processes that serve requests, or auto for one per core", parseWorkers);

withServer(program.command("start"))
  .description("run database, indexer and server; runs the demo if no chain is configured")
  .action(async (options: CommonOptions) => {
    await (await import("./commands/start.ts")).start(loadConfigWith(options), options.config);
  });

withServer(program.command("serve"))
  .description("serve requests from the index until SIGTERM")
  .action(async (options: CommonOptions) => (await import("./commands/serve.ts")).serve(loadConfigWith(options)));

withChain(program.command("index"))
  .description("index the configured chains until SIGTERM")
  .action(async (options: CommonOptions) => (await import("./commands/index-chains.ts")).indexChains(loadConfigWith(options)));

withConfig(program.command("migrate"))
  .description("run the pending migrations of all databases")
  .action(async (options: CommonOptions) => (await import("./commands/migrate.ts")).migrateDatabases(loadConfigWith(options)));

const withJobs = (command: Command): Command =>
  withConfig(command).option("--jobs <number>", "how many tables to copy at the same time (default: one per core, at most 4)", parseJobs);
const withDatabase = (command: Command): Command =>
  withJobs(command).option("--database <name>", "one of databases in ashlar.yaml (default: the database of databaseUrl)");

withDatabase(program.command("backup"))
  .description("write a backup of the whole index, from one moment, while other processes index and serve; a killed one is started again")
  .argument("<folder>", "a new or empty folder, or one with the files of a killed backup, which are replaced")
  .option(
    "--chain <name>",
    "write a snapshot of this chain of the index alone, without keys and usage, which can be added to another database",
  )
  .action(async (folder: string, { chain, ...options }: CommonOptions & BackupOptions) =>
    (await import("./commands/backup.ts")).backup(loadConfigWith(options), folder, readVersion(), { ...options, chain }),
  );

withDatabase(program.command("restore"))
  .description("restore a backup into an empty database; a killed restore of the same backup is completed")
  .argument("<folder>", "the folder of the backup")
  .option("--chain <name>", "add the chain of a snapshot, configured with this name, to a database that does not have it")
  .option(
    "--verify",
    "restore into a scratch database on the same server instead, read all rows back, compare a sample with the nodes of configured chains, and drop it; exits with status 1 if they differ",
  )
  .option("--no-audit", "verify without reading from nodes")
  .action(async (folder: string, options: CommonOptions & RestoreCommandOptions) =>
    (await import("./commands/restore.ts")).restore(loadConfigWith(options), folder, options),
  );

const database = program.command("database").description("manage the embedded database");
withJobs(database.command("upgrade"))
  .description(
    "upgrade the embedded database after the installed PostgreSQL has a new major version: copies it, compares all rows, and keeps the old data; a killed upgrade is started again",
  )
  .option(
    "--programs <folder>",
    "the installation of Ashlar that was used until now, or of the old version of PostgreSQL (default: searched where Ashlar copies programs, and where Debian installs them)",
  )
  .action(async (options: CommonOptions & UpgradeCommand) =>
    (await import("./commands/upgrade-database.ts")).upgradeDatabase(loadConfigWith(options), readVersion(), options),
  );

withChain(program.command("audit"))
  .description("compare the index of a chain with its node; exits with status 1 if they differ")
  .option("--sample <number>", "how many values of each kind to compare", parseInteger("--sample"), 1_000)
  .option("--at <block>", "the block whose state is compared (default: the indexed head)", parseInteger("--at"))
  .action(async (options: CommonOptions & { sample: number; at?: number }) => {
    if (!(await (await import("./commands/audit.ts")).audit(await configWithDemo(options), options))) process.exitCode = 1;
  });

program
  .command("doctor")
  .description("report the capabilities of a node and the consequences of missing ones")
  .requiredOption("--rpc <url>", "the URL of the node")
  .option("--ws <url>", "the node's WebSocket URL, if it differs from the RPC URL")
  .option("--from <block>", "the first block that would be indexed", parseInteger("--from"))
  .action(async ({ rpc, ws, from }: { rpc: string; ws?: string; from?: number }) => {
    process.exitCode = await (await import("./commands/doctor.ts")).doctor(rpc, { webSocket: ws, from });
  });

withConfig(program.command("rules"))
  .description("print the current rules for spam and token types, as a file to edit and use as rulesFile")
  .action(async (options: CommonOptions) => (await import("./commands/rules.ts")).printRules(loadConfigWith(options)));

const prices = program.command("prices").description("manage the prices of a chain's tokens");
withOneChain(prices.command("import"))
  .description("import all prices of a CSV file with lines asset,time,price (US dollars for one whole unit); none if one is invalid")
  .argument("<file>", "the CSV file")
  .action(async (file: string, options: CommonOptions) =>
    (await import("./commands/prices.ts")).importPriceFile(await configWithDemo(options), file),
  );
withOneChain(prices.command("rebuild"))
  .description("recompute all prices, for example after adding a source")
  .action(async (options: CommonOptions) => (await import("./commands/prices.ts")).rebuildPrices(await configWithDemo(options)));

const chains = program.command("chains").description("manage the indexed chains");
withConfig(chains.command("repair"))
  .description(
    "roll a chain's index back to a block, even below the finalized one; explains what it would change, and changes it with --yes",
  )
  .argument("<name>", "the chain, as configured")
  .requiredOption("--to <block>", "the block that remains the last one", parseInteger("--to"))
  .option("--yes", "change the index; the chain must be paused, or its indexer stopped")
  .action(async (name: string, options: CommonOptions & RepairCommand) =>
    (await import("./commands/chains-command.ts")).repairChainNamed(loadConfigWith(options), name, options),
  );

withConfig(chains.command("pause"))
  .description("pause the indexing of a chain, which is served on: its indexer stops within seconds, until ashlar chains resume")
  .argument("<name>", "the chain, as in the index")
  .action(async (name: string, options: CommonOptions) =>
    (await import("./commands/chains-command.ts")).pauseChainNamed(loadConfigWith(options), name),
  );
withConfig(chains.command("resume"))
  .description("continue the indexing of a paused chain")
  .argument("<name>", "the chain, as in the index")
  .action(async (name: string, options: CommonOptions) =>
    (await import("./commands/chains-command.ts")).resumeChainNamed(loadConfigWith(options), name),
  );
withConfig(chains.command("jobs"))
  .description("print the queues of a chain: their length, how many entries were attempted before, and how long the oldest has been due")
  .argument("<name>", "the chain, as in the index")
  .action(async (name: string, options: CommonOptions) =>
    (await import("./commands/chains-command.ts")).printJobs(loadConfigWith(options), name),
  );
withConfig(chains.command("retry-jobs"))
  .description("attempt failed entries of a chain's queues again now, instead of after their backoff")
  .argument("<name>", "the chain, as in the index")
  .option("--queue <queue>", "only this queue: contract-reads or nft-metadata")
  .action(async (name: string, options: CommonOptions & RetryCommand) =>
    (await import("./commands/chains-command.ts")).retryJobsNamed(loadConfigWith(options), name, options),
  );
withConfig(chains.command("refresh-metadata"))
  .description("read the names, symbols and decimals of a chain's tokens again; of one contract, also the documents of its NFTs")
  .argument("<name>", "the chain, as in the index")
  .option("--contract <address>", "only this contract", parseAddress("--contract"))
  .action(async (name: string, options: CommonOptions & RefreshCommand) =>
    (await import("./commands/chains-command.ts")).refreshMetadataNamed(loadConfigWith(options), name, options),
  );
withConfig(chains.command("remove"))
  .description("delete all rows of a chain, in batches; asks for its name, and continues where a killed removal ended")
  .argument("<name>", "the chain, as in the index; it must be paused, or its indexer stopped")
  .option("--yes <name>", "the name of the chain again, instead of typing it")
  .action(async (name: string, options: CommonOptions & RemoveCommand) =>
    (await import("./commands/chains-command.ts")).removeChainNamed(loadConfigWith(options), name, options),
  );
withConfig(chains.command("status"))
  .description(
    "print how far the chains are indexed and which are paused; of one chain, also its size, node, projections, queues and last audit",
  )
  .argument("[name]", "the chain, as in the index (default: all)")
  .action(async (name: string | undefined, options: CommonOptions) =>
    (await import("./commands/chains-command.ts")).printChainStatus(loadConfigWith(options), name),
  );

const operatorConsole = program.command("console").description("manage the web console");
withConfig(operatorConsole.command("login"))
  .description("print a link that signs in to the console, once, within 5 minutes")
  .action(async (options: CommonOptions) => (await import("./commands/console-login.ts")).printConsoleLink(loadConfigWith(options)));

withConfig(program.command("log"))
  .description("print what operators changed, newest first: actions on chains, and keys")
  .option("--limit <number>", "how many actions to print", parseInteger("--limit"), 100)
  .action(async (options: CommonOptions & { limit: number }) =>
    (await import("./commands/log.ts")).printLog(loadConfigWith(options), options),
  );

const nfts = program.command("nfts").description("manage the metadata of a chain's non-fungible tokens");
withOneChain(nfts.command("status"))
  .description("print how many tokens of each collection are pending, fetched and rejected, with the reasons")
  .action(async (options: CommonOptions) => (await import("./commands/nfts.ts")).nftStatus(await configWithDemo(options)));
withOneChain(nfts.command("refresh"))
  .description("fetch the metadata of a collection or of one of its tokens again")
  .argument("<collection>", "the collection's contract", parseAddress("collection"))
  .argument("[token-id]", "the token (default: all tokens)", parseTokenId("token-id"))
  .action(async (collection: Address, id: string | undefined, options: CommonOptions) =>
    (await import("./commands/nfts.ts")).refreshNfts(await configWithDemo(options), collection, id ?? null),
  );

const community = program.command("community").description("manage declared protocols, built-in and of communityDirectory");
withConfig(community.command("status"))
  .description("print the checkpoint, rows and skipped logs of each protocol on each chain")
  .action(async (options: CommonOptions) =>
    (await import("./commands/community/status.ts")).communityStatus(await configWithDemo(options)),
  );
withOneChain(community.command("test"))
  .description("check a directory of protocols, and run each operation on the index of a chain; exits with status 1 if one fails")
  .argument("[directory]", "the directory (default: communityDirectory)")
  .action(async (directory: string | undefined, options: CommonOptions) => {
    const { testDirectory } = await import("./commands/community/test.ts");
    if (!(await testDirectory(await configWithDemo(options), directory))) process.exitCode = 1;
  });
withConfig(community.command("new"))
  .description("create a protocol that works, with vaults of ERC-4626, in communityDirectory")
  .argument("<name>", "its id: a snake_case name of at most 20 characters")
  .option("--directory <directory>", "the directory (default: communityDirectory, or endpoints)")
  .option("--chain <name>", "the chain of its contracts", "demo")
  .option("--contract <address...>", "its contracts (default: the vaults of the demo)", parseAddresses("--contract"))
  .action(async (name: string, { config, ...options }: NewOptions) =>
    (await import("./commands/community/new.ts")).createProtocol(
      await configWithDemo({ ...(config === undefined ? {} : { config }) }),
      name,
      options,
    ),
  );

const limitHelp =
  "a limit of the key: concurrentRequests, databaseSecondsPerMinute or bytesInFlight, with a number, unlimited or default (repeatable)";
function reportUnknownKey(id: number): void {
  process.stderr.write(`No active key with id ${id}; list the keys with: ashlar keys list\n`);
  process.exitCode = 1;
}
const keys = program.command("keys").description("manage API keys");
withConfig(keys.command("create"))
  .description("create a key and print it; it cannot be shown again")
  .requiredOption("--label <text>", "a label to identify the key")
  .option("--credits <number>", "the max number of credits that the key may use (default: unlimited)", parseCredits("--credits"))
  .option("--daily-credits <number>", "its quota of credits per UTC day (default: unlimited)", parseCredits("--daily-credits"))
  .option("--monthly-credits <number>", "its quota of credits per UTC month (default: unlimited)", parseCredits("--monthly-credits"))
  .option("--expires <time>", "the time after which it is refused, in ISO 8601 (default: never)", parseExpiry)
  .option("--allow-chain <chain>", "a chain that it is allowed on, by name or id (repeatable)", parseChains)
  .option("--allow-origin <origin>", "an origin of web pages that may use it, such as https://app.example.com (repeatable)", parseOrigins)
  .option("--allow-address <address>", "an IP address or network (CIDR) that may use it (repeatable)", parseNetworks)
  .option("--limit <name=value>", limitHelp, parseLimits("--limit"))
  .action(async (options: CommonOptions & CreateOptions) =>
    (await import("./commands/keys.ts")).createKey(loadConfigWith(options), options),
  );
withConfig(keys.command("update"))
  .description("change a key; servers use the changes within 5 seconds")
  .argument("<id>", "the id of the key, as listed", parseInteger("id"))
  .option("--label <text>", "a new label")
  .option("--credits <number>", "the max number of credits that the key may use, or unlimited", parseCreditsOrUnlimited("--credits"))
  .option("--daily-credits <number>", "its quota of credits per UTC day, or unlimited", parseCreditsOrUnlimited("--daily-credits"))
  .option("--monthly-credits <number>", "its quota of credits per UTC month, or unlimited", parseCreditsOrUnlimited("--monthly-credits"))
  .option("--expires <time>", "the time after which it is refused, in ISO 8601, or never", parseExpiryOrNever)
  .option("--allow-chain <chain>", "a chain that it is allowed on, by name or id, or any (repeatable)", parseChains)
  .option(
    "--allow-origin <origin>",
    "an origin of web pages that may use it, such as https://app.example.com, or any (repeatable)",
    parseOrigins,
  )
  .option("--allow-address <address>", "an IP address or network (CIDR) that may use it, or any (repeatable)", parseNetworks)
  .option("--limit <name=value>", limitHelp, parseLimits("--limit"))
  .action(async (id: number, options: CommonOptions & UpdateOptions) => {
    if (await (await import("./commands/keys.ts")).updateKey(loadConfigWith(options), id, options)) return;
    reportUnknownKey(id);
  });
withConfig(keys.command("list"))
  .description("list all keys and their usage")
  .action(async (options: CommonOptions) => (await import("./commands/keys.ts")).listKeys(loadConfigWith(options)));
withConfig(keys.command("revoke"))
  .description("revoke a key; servers stop accepting it within 5 seconds")
  .argument("<id>", "the id of the key, as listed", parseInteger("id"))
  .action(async (id: number, options: CommonOptions) => {
    if (await (await import("./commands/keys.ts")).revokeKey(loadConfigWith(options), id)) return;
    reportUnknownKey(id);
  });

/** Errors of writing to a closed pipe or terminal, and of writing to the stream again afterwards. */
const closedOutput = ["EPIPE", "EIO", "ERR_STREAM_DESTROYED"];
// The reader of a pipe may exit first, such as `head`: the rest of the output is dropped, and the command completes.
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
