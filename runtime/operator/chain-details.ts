import type { Queryable } from "../database/database.ts";
import { estimateDiskUsage } from "../domains/chains/queries/disk-usage.ts";
import { createChainQueries } from "../domains/chains/queries/index.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import type { IndexedChain } from "./indexed-chain.ts";
import { lastAudit } from "./last-audit.ts";

/** One chain's details for an operator, apart from its progress: its size, its node, what its index lacks, and its last audit. */
export async function readChainDetails(database: Queryable, { id, name, actionLog }: IndexedChain) {
  const [nodes, chains, use, audit] = await Promise.all([
    createChainQueries(database).nodes(),
    createLedgerQueries(database).chains(),
    estimateDiskUsage(database, id),
    lastAudit(actionLog ?? database, name),
  ]);
  return {
    node: nodes.find((row) => row.chain_id === id),
    missing: chains.find((row) => row.chain_id === id)?.missing ?? [],
    use,
    audit,
  };
}
