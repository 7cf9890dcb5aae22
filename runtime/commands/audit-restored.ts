import { InvalidResponseError, RpcError, TransportError } from "../chain/errors.ts";
import { type AnyChainConfig, type Config, isEvmChain } from "../config/config.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import type { Database } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import { readChain } from "../indexer/storage/chain-record.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { migrations } from "../migrations.ts";
import { loadProtocols } from "../protocols.ts";
import { auditChain } from "./audit-chain.ts";
import { renderAudit } from "./render-audit.ts";

/** How many values of each kind are compared. */
const sample = 200;

/**
 * Compares a sample of each restored chain with its configured node, and prints the results, or why a chain cannot be compared. Returns whether there
 * are no differences. Migrates the database to the schema of this version first.
 */
export async function auditRestored(config: Config, database: Database, write: (text: string) => void): Promise<boolean> {
  await migrate(database, migrations);
  const { protocols } = loadProtocols(config);
  let isEqual = true;
  for (const { chain_id: id, name } of await createLedgerQueries(database).chains()) {
    const chain = config.chains.find((configured) => configured.id === id || configured.name === name);
    const audited = { name, chain: chain === undefined ? undefined : { ...chain, id } };
    const reason = await auditIfPossible(database, audited, async (evm, height) => {
      const rows = await auditChain(database, evm, protocols, height, sample);
      write(renderAudit(name, height, rows));
      isEqual &&= rows.every(({ differences }) => differences.length === 0);
    });
    if (reason !== null) write(`Not audited: ${escapeTerminal(name)}, because ${escapeTerminal(reason)}.\n`);
  }
  return isEqual;
}

interface RestoredChain {
  readonly name: string;
  readonly chain: AnyChainConfig | undefined;
}

type EvmChain = Parameters<typeof auditChain>[1];

/** Audits a chain. Returns null, or why that is impossible. */
async function auditIfPossible(
  database: Database,
  { chain }: RestoredChain,
  audit: (chain: EvmChain, height: number) => Promise<void>,
): Promise<string | null> {
  if (chain === undefined) return "it is not configured";
  if (!isEvmChain(chain)) return "only EVM chains can be audited";
  if (nodeUrlsOf(chain).length === 0) return "it has no rpc in the configuration";
  const height = await finalHeight(database, chain.id);
  if (height === null) return "it has no blocks";
  try {
    await audit(chain, height);
    return null;
  } catch (error) {
    if ([TransportError, RpcError, InvalidResponseError].some((kind) => error instanceof kind))
      return `its node cannot be read: ${(error as Error).message}`;
    throw error;
  }
}

/** The last finalized block if it is indexed, because the chain may have replaced later ones since the backup; otherwise the last block. */
async function finalHeight(database: Database, chainId: number): Promise<number | null> {
  const ledger = createLedgerQueries(database);
  const [head, firstBlock, record] = await Promise.all([ledger.head(chainId), ledger.firstBlock(chainId), readChain(database, chainId)]);
  if (head === null || firstBlock === null) return null;
  const finalized = record?.finalizedBlock ?? head.number;
  return finalized < firstBlock.number ? head.number : Math.min(finalized, head.number);
}
