import process from "node:process";
import { Command } from "commander";
import { addChainCommands } from "./cli/chains.ts";
import { addKeyCommands } from "./cli/keys.ts";
import {
  type CommonOptions,
  configWithDemo,
  loadConfigWith,
  withChain,
  withConfig,
  withDatabase,
  withJobs,
  withOneChain,
  withServer,
} from "./cli/options.ts";
import { readVersion } from "./cli/version.ts";
import type { BackupOptions } from "./commands/backup.ts";
import { parseAddress, parseAddresses, parseInteger, parseTokenId } from "./commands/option-values.ts";
import type { RestoreCommandOptions } from "./commands/restore.ts";
import type { UpgradeCommandOptions } from "./commands/upgrade-database.ts";
import type { Address } from "./lib/hex.ts";
import { escapeTerminalLines } from "./lib/terminal-text.ts";

interface NewOptions {
  readonly config?: string;
  readonly directory?: string;
  readonly chain: string;
  readonly contract?: readonly Address[];
}

// Each action imports its own command, because loading the modules of all commands takes half a second.
const program = new Command("ashlar")
  .description("A self-hosted blockchain data API.")
  .version(readVersion())
  .showHelpAfterError()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: (.)/, (_, first: string) => first.toUpperCase())) });

withServer(program.command("start"))
  .description("run the database, the indexer and the server; runs the demo if no chain is configured")
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
  .description("run pending migrations on all databases")
  .action(async (options: CommonOptions) => (await import("./commands/migrate.ts")).migrateDatabases(loadConfigWith(options)));

withDatabase(program.command("backup"))
  .description("write a consistent backup of the entire index while other processes index and serve; if it is killed, run it again")
  .argument("<folder>", "a new or empty folder, or one with the files of a killed backup, which are replaced")
  .option("--chain <name>", "write a snapshot of this chain alone, without keys and usage, which can be added to another database")
  .action(async (folder: string, { chain, ...options }: CommonOptions & BackupOptions) =>
    (await import("./commands/backup.ts")).backup(loadConfigWith(options), folder, readVersion(), { ...options, chain }),
  );

withDatabase(program.command("restore"))
  .description("restore a backup into an empty database; repeating a killed restore completes it")
  .argument("<folder>", "the folder of the backup")
  .option("--chain <name>", "add a snapshot's chain, configured with this name, to a database that does not have it")
  .option(
    "--verify",
    "restore into a scratch database on the same server instead, read all rows back, compare a sample with configured chains' nodes, and drop it; exits with status 1 if they differ",
  )
  .option("--no-audit", "verify without reading from nodes")
  .action(async (folder: string, options: CommonOptions & RestoreCommandOptions) =>
    (await import("./commands/restore.ts")).restore(loadConfigWith(options), folder, options),
  );

const database = program.command("database").description("manage the embedded database");
withJobs(database.command("upgrade"))
  .description(
    "upgrade the embedded database after an Ashlar update with a new major version of PostgreSQL: copies it, compares all rows, and keeps the old data; if it is killed, run it again",
  )
  .option(
    "--programs <folder>",
    "the previous Ashlar installation, or the old PostgreSQL installation (default: search Ashlar's own copies and Debian's standard PostgreSQL folders)",
  )
  .action(async (options: CommonOptions & UpgradeCommandOptions) =>
    (await import("./commands/upgrade-database.ts")).upgradeDatabase(loadConfigWith(options), readVersion(), options),
  );

withChain(program.command("audit"))
  .description("compare a chain's index with its node; exits with status 1 if they differ")
  .option("--sample <number>", "how many values of each kind to compare", parseInteger("--sample"), 1_000)
  .option("--at <block>", "the block whose state is compared (default: the indexed head)", parseInteger("--at"))
  .action(async (options: CommonOptions & { sample: number; at?: number }) => {
    if (!(await (await import("./commands/audit.ts")).audit(await configWithDemo(options), options))) process.exitCode = 1;
  });

program
  .command("doctor")
  .description("report a node's capabilities and the consequences of missing ones")
  .requiredOption("--rpc <url>", "the node's URL")
  .option("--ws <url>", "the node's WebSocket URL, if it differs from the RPC URL")
  .option("--from <block>", "the first block that would be indexed", parseInteger("--from"))
  .action(async ({ rpc, ws, from }: { rpc: string; ws?: string; from?: number }) => {
    process.exitCode = await (await import("./commands/doctor.ts")).doctor(rpc, { webSocket: ws, from });
  });

withConfig(program.command("rules"))
  .description("print the current rules for spam and token types, as a file to edit and use as rulesFile")
  .action(async (options: CommonOptions) => (await import("./commands/rules.ts")).printRules(loadConfigWith(options)));

const prices = program.command("prices").description("manage a chain's token prices");
withOneChain(prices.command("import"))
  .description("import prices from a CSV file with lines asset,time,price (US dollars per whole unit): all, or none if a line is invalid")
  .argument("<file>", "the CSV file")
  .action(async (file: string, options: CommonOptions) =>
    (await import("./commands/prices.ts")).importPriceFile(await configWithDemo(options), file),
  );
withOneChain(prices.command("rebuild"))
  .description("recompute all prices, for example after adding a source")
  .action(async (options: CommonOptions) => (await import("./commands/prices.ts")).rebuildPrices(await configWithDemo(options)));

addChainCommands(program);

const operatorConsole = program.command("console").description("manage the web console");
withConfig(operatorConsole.command("login"))
  .description("print a single-use link, valid for 5 minutes, that signs you in to the console")
  .action(async (options: CommonOptions) => (await import("./commands/console-login.ts")).printConsoleLink(loadConfigWith(options)));

withConfig(program.command("log"))
  .description("print the changes that operators made to chains and keys, newest first")
  .option("--limit <number>", "how many actions to print", parseInteger("--limit"), 100)
  .action(async (options: CommonOptions & { limit: number }) =>
    (await import("./commands/log.ts")).printLog(loadConfigWith(options), options),
  );

const nfts = program.command("nfts").description("manage a chain's NFT metadata");
withOneChain(nfts.command("status"))
  .description("print how many tokens in each collection are pending, fetched and rejected, with the reasons")
  .action(async (options: CommonOptions) => (await import("./commands/nfts.ts")).printNftStatus(await configWithDemo(options)));
withOneChain(nfts.command("refresh"))
  .description("fetch the metadata of a collection or one of its tokens again")
  .argument("<collection>", "the collection's contract", parseAddress("collection"))
  .argument("[token-id]", "the token (default: all tokens)", parseTokenId("token-id"))
  .action(async (collection: Address, id: string | undefined, options: CommonOptions) =>
    (await import("./commands/nfts.ts")).refreshNfts(await configWithDemo(options), collection, id ?? null),
  );

const community = program.command("community").description("manage declared protocols: the built-in ones and those in communityDirectory");
withConfig(community.command("status"))
  .description("print each protocol's checkpoint, rows and skipped logs on each chain")
  .action(async (options: CommonOptions) =>
    (await import("./commands/community/status.ts")).printCommunityStatus(await configWithDemo(options)),
  );
withOneChain(community.command("test"))
  .description("check a protocols directory, and run each operation on a chain's index; exits with status 1 if one fails")
  .argument("[directory]", "the directory (default: communityDirectory)")
  .action(async (directory: string | undefined, options: CommonOptions) => {
    const { testDirectory } = await import("./commands/community/test.ts");
    if (!(await testDirectory(await configWithDemo(options), directory))) process.exitCode = 1;
  });
withConfig(community.command("new"))
  .description("create a working protocol for ERC-4626 vaults in communityDirectory")
  .argument("<name>", "its id: a snake_case name of at most 20 characters")
  .option("--directory <directory>", "the directory (default: communityDirectory, or endpoints)")
  .option("--chain <name>", "the chain with its contracts", "demo")
  .option("--contract <address...>", "its contracts (default: the vaults of the demo)", parseAddresses("--contract"))
  .action(async (name: string, { config, ...options }: NewOptions) =>
    (await import("./commands/community/new.ts")).createProtocol(
      await configWithDemo({ ...(config === undefined ? {} : { config }) }),
      name,
      options,
    ),
  );

addKeyCommands(program);

/** Errors from writing to a closed pipe or terminal, and from later writes to the stream. */
const closedOutput = ["EPIPE", "EIO", "ERR_STREAM_DESTROYED"];
// A pipe's reader, such as `head`, may exit first: the rest of the output is dropped, and the command completes.
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
