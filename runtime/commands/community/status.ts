import { stdout } from "node:process";
import { type ChainConfig, type Config, isEvmChain } from "../../config/config.ts";
import { ConfigError } from "../../config/config-error.ts";
import type { Database } from "../../database/database.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import { fixedContracts } from "../../domains/community/contracts-on-chain.ts";
import { protocolLogs } from "../../domains/community/queries/emitted-logs.ts";
import { createProtocolStatusQueries, type ProtocolStatus } from "../../domains/community/queries/status.ts";
import { pluralize } from "../../lib/pluralize.ts";
import { escapeTerminal } from "../../lib/terminal-text.ts";
import { loadProtocols } from "../../protocols.ts";
import { requireDatabase } from "../configured-database.ts";
import { databaseNames, withEachDatabase } from "../open-chain-database.ts";
import { resolveChains } from "../resolve-chains.ts";
import { renderLogs } from "./render-logs.ts";

/** `ashlar community status`: prints each declared protocol's index on each chain. @throws {CommandError} if there is no database. */
export async function printCommunityStatus(config: Config): Promise<void> {
  requireDatabase(config);
  const { added, problems } = loadAdded(config);
  const lines: string[] = [];
  await withEachDatabase(config, databaseNames(config), async ({ indexing }, databaseConfig) => {
    const chains = new Map((await resolveChains(databaseConfig, { indexing })).map((chain) => [chain.id, chain]));
    for (const status of await createProtocolStatusQueries(indexing).statuses()) {
      const [chain, protocol] = [chains.get(status.chain_id), added.get(status.protocol)];
      lines.push(...renderStatus(status, chain?.name ?? `chain ${status.chain_id}`));
      if (chain !== undefined && isEvmChain(chain) && protocol !== undefined && status.tables.length > 0)
        lines.push(...(await logLines(indexing, chain, protocol)));
    }
  });
  lines.push(...problems);
  const none = "No declared protocol is indexed: none has contracts on an indexed chain.";
  for (const line of lines.length === 0 ? [none] : lines) stdout.write(`${escapeTerminal(line)}\n`);
}

/** The operator's protocols by id, or why their directory cannot be read; the status is printed in either case. */
const loadAdded = (config: Config): { readonly added: ReadonlyMap<string, Protocol>; readonly problems: readonly string[] } => {
  try {
    return { added: new Map(loadProtocols(config).addedProtocols.map(({ protocol }) => [protocol.id, protocol])), problems: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { added: new Map(), problems: error.message.split("\n") };
  }
};

/** Logs that an added protocol's author should examine. Events of built-in ones may be rare, and their signatures are tested. */
const logLines = async (database: Database, chain: ChainConfig, protocol: Protocol): Promise<string[]> =>
  renderLogs(protocol, await protocolLogs(database, chain.id, protocol, fixedContracts(protocol, chain)));

/** Renders the lines about a protocol on a chain. */
export const renderStatus = (status: ProtocolStatus, chain: string): string[] => {
  const { protocol, checkpoint, head, failure, tables, skipped, queued_reads } = status;
  const behind = head - checkpoint;
  const progress = behind === 0 ? `at block ${checkpoint}` : `at block ${checkpoint} of ${head}`;
  return [
    failure === null ? `${protocol} on ${chain}: ${progress}` : `${protocol} on ${chain}: switched off: ${failure}`,
    ...tables.filter(({ name }) => name !== "skipped").map(({ name, rows }) => `  ${name}  ${pluralize(rows, "row")}`),
    `  ${pluralize(skipped, "skipped log")}, ${pluralize(queued_reads, "queued read")}`,
  ];
};
