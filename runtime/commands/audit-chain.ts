import { probeCapabilities } from "../chain/capabilities.ts";
import { connectToRespondingNode } from "../chain/nodes/connect-to-responding-node.ts";
import { createSource } from "../chain/source.ts";
import type { ChainConfig } from "../config/config.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import type { Database, Queryable } from "../database/database.ts";
import type { Protocol } from "../declarations/protocol.ts";
import { auditApprovals } from "../domains/approvals/audit.ts";
import { auditProtocols } from "../domains/community/audit/audit-protocols.ts";
import { auditBlocks } from "../domains/ledger/audit.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import { auditBalances } from "../domains/tokens/jobs/audit-balances.ts";
import { readChain } from "../indexer/storage/chain-record.ts";
import type { AuditRow } from "../lib/audit-row.ts";
import { CommandError } from "./command-error.ts";
import { invalidValue } from "./option-values.ts";

/** The block whose state is compared: the indexed head by default. @throws {CommandError} if it is not indexed. */
export async function auditHeightOf(database: Queryable, chain: ChainConfig, at: number | undefined): Promise<number> {
  const ledger = createLedgerQueries(database);
  const [head, firstBlock] = await Promise.all([ledger.head(chain.id), ledger.firstBlock(chain.id)]);
  if (head === null || firstBlock === null) throw new CommandError(`No block of ${chain.name} is indexed yet; run ashlar index first.`);
  if (at === undefined) return head.number;
  if (at < firstBlock.number || at > head.number)
    throw invalidValue("--at", at, `an indexed block, from ${firstBlock.number} to ${head.number}`);
  return at;
}

/** Compares samples of a chain's index with its node. @throws {CommandError} if no node is configured. */
export async function auditChain(
  indexing: Database,
  chain: ChainConfig,
  protocols: readonly Protocol[],
  height: number,
  sample: number,
): Promise<AuditRow[]> {
  const urls = nodeUrlsOf(chain);
  if (urls.length === 0)
    throw new CommandError(`No node configured for chain ${chain.name}; set its rpc in ashlar.yaml or pass --rpc URL.`);
  const rpc = await connectToRespondingNode(urls, { retries: 3 });
  try {
    const source = createSource(rpc, await probeCapabilities(rpc, chain.from), { readsTraces: false });
    const record = await readChain(indexing, chain.id);
    return [
      ...(await auditBlocks(indexing, rpc, chain.id, height, sample)),
      ...(await auditBalances(indexing, source, chain.id, height, sample)),
      ...(await auditApprovals(indexing, source, chain.id, height, sample)),
      ...(await auditProtocols({ database: indexing, source, rpc, chain, protocols, from: record?.indexedFrom ?? 0 }, height, sample)),
    ];
  } finally {
    await rpc.close();
  }
}
