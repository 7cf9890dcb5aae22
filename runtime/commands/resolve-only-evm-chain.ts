import { type ChainConfig, type Config, isEvmChain } from "../config/config.ts";
import type { Queryable } from "../database/database.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import { CommandError } from "./command-error.ts";
import { resolveChains } from "./resolve-chains.ts";

/** The only configured chain. @throws {CommandError} if none or several are configured, or if it is not an EVM chain. */
export async function resolveOnlyEvmChain(config: Config, database: Queryable): Promise<ChainConfig> {
  if (config.chains.length > 1)
    throw new CommandError(
      `Several chains are configured (${config.chains.map(({ name }) => name).join(", ")}); choose one with --chain NAME.`,
    );
  const [chain] = await resolveChains(config, { indexing: database });
  if (chain !== undefined && isEvmChain(chain)) return chain;
  if (chain !== undefined) throw new CommandError(`Chain ${chain.name} is a Bitcoin chain: this command is only for EVM chains.`);
  const indexed = (await createLedgerQueries(database).chains()).map(({ name }) => name).join(", ");
  throw new CommandError(
    `No chain is configured (indexed: ${indexed || "none"}); add one to ashlar.yaml under chains, or pass --chain NAME --rpc URL.`,
  );
}
