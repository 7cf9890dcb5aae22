import type { Queryable } from "../database/database.ts";
import { readDiskUse } from "../domains/chains/queries/disk-use.ts";
import { createNetworkQueries } from "../domains/chains/queries/index.ts";
import { createLedgerQueries } from "../domains/ledger/queries/index.ts";
import type { IndexedChain } from "./indexed-chain.ts";
import { lastAudit } from "./last-audit.ts";

/** One chain's details for an operator, apart from its progress: its size, its node, what its index lacks, and its last audit. */
export async function readChainDetails(database: Queryable, { id, name, log }: IndexedChain) {
  const [nodes, chains, use, audit] = await Promise.all([
    createNetworkQueries(database).nodes(),
    createLedgerQueries(database).chains(),
    readDiskUse(database, id),
    lastAudit(log ?? database, name),
  ]);
  return {
    node: nodes.find((row) => row.chain_id === id),
    missing: chains.find((row) => row.chain_id === id)?.missing ?? [],
    use,
    audit,
  };
}
