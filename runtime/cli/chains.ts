import type { Command } from "commander";
import type {
  DatabaseOption,
  RefreshCommandOptions,
  RemoveCommandOptions,
  RepairCommandOptions,
  RetryCommandOptions,
} from "../commands/chain-commands.ts";
import type { MoveCommandOptions } from "../commands/move-chain.ts";
import { parseAddress, parseInteger } from "../commands/option-values.ts";
import { type CommonOptions, loadConfigWith, withConfig, withJobs } from "./options.ts";
import { readVersion } from "./version.ts";

const databaseHelp =
  "one of databases in ashlar.yaml, or control for the database of databaseUrl (default: the configured one, otherwise the first one that contains the chain)";

/** Adds `ashlar chains`. */
export function addChainCommands(program: Command): void {
  const chains = program.command("chains").description("manage the indexed chains");
  withConfig(chains.command("repair"))
    .description("roll a chain's index back to a block, even below the finalized one; prints what would change, and applies it with --yes")
    .argument("<name>", "the name of a configured chain")
    .requiredOption("--to <block>", "the last block to keep", parseInteger("--to"))
    .option("--yes", "change the index; the chain must be paused, or its indexer stopped")
    .action(async (name: string, options: CommonOptions & RepairCommandOptions) =>
      (await import("../commands/chain-commands.ts")).repairChainByName(loadConfigWith(options), name, options),
    );

  withConfig(chains.command("pause"))
    .description(
      "pause indexing a chain until ashlar chains resume is run; its indexer stops within seconds, and its index is still served",
    )
    .argument("<name>", "the name of an indexed chain")
    .option("--database <name>", databaseHelp)
    .action(async (name: string, options: CommonOptions & DatabaseOption) =>
      (await import("../commands/chain-commands.ts")).pauseChainByName(loadConfigWith(options), name, options),
    );
  withConfig(chains.command("resume"))
    .description("resume indexing a paused chain")
    .argument("<name>", "the name of an indexed chain")
    .option("--database <name>", databaseHelp)
    .action(async (name: string, options: CommonOptions & DatabaseOption) =>
      (await import("../commands/chain-commands.ts")).resumeChainByName(loadConfigWith(options), name, options),
    );
  withConfig(chains.command("jobs"))
    .description("print the queues of a chain: their length, how many entries were attempted, and how long the oldest entry has been due")
    .argument("<name>", "the name of an indexed chain")
    .action(async (name: string, options: CommonOptions) =>
      (await import("../commands/chain-commands.ts")).printJobs(loadConfigWith(options), name),
    );
  withConfig(chains.command("retry-jobs"))
    .description("retry failed entries of a chain's queues immediately instead of after their backoff")
    .argument("<name>", "the name of an indexed chain")
    .option("--queue <queue>", "only this queue: contract-reads or nft-metadata")
    .action(async (name: string, options: CommonOptions & RetryCommandOptions) =>
      (await import("../commands/chain-commands.ts")).retryChainJobs(loadConfigWith(options), name, options),
    );
  withConfig(chains.command("refresh-metadata"))
    .description("read the names, symbols and decimals of a chain's tokens again; with --contract, also its NFT documents")
    .argument("<name>", "the name of an indexed chain")
    .option("--contract <address>", "only this contract", parseAddress("--contract"))
    .action(async (name: string, options: CommonOptions & RefreshCommandOptions) =>
      (await import("../commands/chain-commands.ts")).refreshChainMetadata(loadConfigWith(options), name, options),
    );
  withJobs(chains.command("move"))
    .description(
      "copy a chain to another database while the chain is indexed and served, then index it there until SIGTERM, so that servers can be restarted with the new database; to continue an interrupted move, run the command again",
    )
    .argument("<name>", "the name of a configured chain")
    .requiredOption("--to <name>", "one of databases in ashlar.yaml, or control for the database of databaseUrl")
    .option(
      "--folder <folder>",
      "where the snapshot of the chain is stored while it is copied, as move-<name> (default: the data directory)",
    )
    .action(async (name: string, options: CommonOptions & MoveCommandOptions) =>
      (await import("../commands/move-chain.ts")).moveChain(loadConfigWith(options), name, readVersion(), options),
    );
  withConfig(chains.command("remove"))
    .description("delete all rows of a chain, in batches; asks for its name, and resumes a removal that was killed")
    .argument("<name>", "the name of an indexed chain; it must be paused, or its indexer stopped")
    .option("--yes <name>", "confirm with the chain's name instead of typing it")
    .option("--database <name>", databaseHelp)
    .action(async (name: string, options: CommonOptions & RemoveCommandOptions) =>
      (await import("../commands/chain-commands.ts")).removeChainByName(loadConfigWith(options), name, options),
    );
  withConfig(chains.command("status"))
    .description(
      "print how far the chains are indexed and which are paused; for a single chain, also its size, node, projections, queues and last audit",
    )
    .argument("[name]", "the name of an indexed chain (default: all)")
    .option("--database <name>", databaseHelp)
    .action(async (name: string | undefined, options: CommonOptions & DatabaseOption) =>
      (await import("../commands/chain-commands.ts")).printChainStatus(loadConfigWith(options), name, options),
    );
}
