import type { Rpc } from "../../../chain/rpc.ts";
import type { Source } from "../../../chain/source.ts";
import type { Queryable } from "../../../database/database.ts";
import type { Protocol } from "../../../declarations/protocol.ts";
import { type AuditRow, auditRow } from "../../../lib/audit-row.ts";
import { type CommunityChain, fixedContracts, protocolsOn } from "../contracts-on-chain.ts";
import { createDeclaredFold, declaredProjection } from "../projection/index.ts";
import { compareEvents } from "./compare-events.ts";
import { compareReads } from "./compare-reads.ts";
import { sampleBlocks } from "./sample-blocks.ts";

export interface ProtocolAudit {
  readonly database: Queryable;
  readonly source: Pick<Source, "runCalls">;
  readonly rpc: Pick<Rpc, "settle">;
  readonly chain: CommunityChain & { readonly id: number };
  /** All declared protocols; those that the chain does not index, and those whose declaration differs from the index, are skipped. */
  readonly protocols: readonly Protocol[];
  /** The first indexed block. */
  readonly from: number;
}

/**
 * Compares declared protocols' tables up to a height with rows derived from the node's logs, and read results with the contracts. Samples
 * up to `sampleSize` rows, `sampleSize` blocks with logs and `sampleSize` results per protocol.
 */
export async function auditProtocols(audit: ProtocolAudit, height: number, sampleSize: number): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (const protocol of protocolsOn(audit.protocols, audit.chain))
    rows.push(...(await auditProtocol(audit, protocol, height, sampleSize)));
  return rows;
}

async function auditProtocol(
  { database, source, rpc, chain, from }: ProtocolAudit,
  protocol: Protocol,
  height: number,
  sampleSize: number,
): Promise<AuditRow[]> {
  const contracts = fixedContracts(protocol, chain);
  const { id, version } = declaredProjection(protocol, contracts);
  const [checkpoint] = await database.query<{ block: number }>(
    "SELECT block_number AS block FROM projection_checkpoints WHERE chain_id = $1 AND projection = $2 AND version = $3",
    [chain.id, id, version],
  );
  if (checkpoint === undefined) return [];
  const fold = createDeclaredFold(protocol, contracts);
  const sampling = { chainId: chain.id, height: Math.min(height, checkpoint.block), sampleSize };
  const fixed = [...contracts.values()].flatMap((addresses) => [...addresses.keys()]);
  const blocks = await sampleBlocks(database, fold.relations, fixed, sampling);
  const events = await compareEvents({ database, rpc, fold, chainId: chain.id, from }, blocks);
  const reads =
    protocol.reads.length === 0 ? [] : [auditRow(`${protocol.id} reads`, await compareReads(database, source, protocol, sampling))];
  return [auditRow(`${protocol.id} events`, events), ...reads];
}
