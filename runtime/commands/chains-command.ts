import { stdout } from "node:process";
import { type Config, isEvmChain } from "../config/config.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { loadProtocols } from "../protocols.ts";
import { resolveChains } from "./chains.ts";
import { CommandError } from "./command-error.ts";
import { openDatabase } from "./open-database.ts";
import { repairChain } from "./repair-chain.ts";
import { requireDatabase } from "./used-database.ts";

export interface RepairCommand {
  readonly to: number;
  readonly yes?: boolean;
}

/** `ashlar chains repair`: explains what repairing a chain changes, and does it with `--yes`. @throws {CommandError} */
export async function repairChainNamed(config: Config, name: string, { to, yes = false }: RepairCommand): Promise<void> {
  requireDatabase(config);
  const { protocols } = loadProtocols(config);
  const database = await openDatabase(config);
  try {
    const chain = (await resolveChains(config, database.indexing)).find((configured) => configured.name === name);
    if (chain === undefined || !isEvmChain(chain))
      throw new CommandError(`Invalid value "${name}" for the chain: expected a configured EVM chain; see chains in ashlar.yaml.`);
    const print = (line: string): void => void stdout.write(`${escapeTerminal(line)}\n`);
    await repairChain({ database: database.indexing, chain, protocols, to, isConfirmed: yes, print });
  } finally {
    await database.close();
  }
}
