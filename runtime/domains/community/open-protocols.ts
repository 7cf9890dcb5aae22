import type { Database } from "../../database/database.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import type { Projection } from "../../indexer/projection.ts";
import type { BlockBoundTable } from "../../indexer/reorg/roll-back.ts";
import type { IndexerDeps } from "../../indexer/types.ts";
import type { Job } from "../../jobs/job.ts";
import { type CommunityChain, fixedContracts, protocolsOn } from "./contracts-on-chain.ts";
import { installProtocols } from "./install/install.ts";
import { installationOf } from "./install/statements.ts";
import { blockBoundReadTables } from "./jobs/read-contracts/block-bound-tables.ts";
import { createProtocolReadJobs } from "./jobs/read-contracts/jobs.ts";
import { listingTables } from "./jobs/read-contracts/listing-tables.ts";
import { declaredProjection } from "./projection/index.ts";

export interface OpenProtocolsDeps {
  readonly database: Database;
  readonly chain: CommunityChain & { readonly id: number };
  /** All declared protocols; those without tables or without contracts on the chain are not indexed. */
  readonly protocols: readonly Protocol[];
  /** The role that runs the SQL of operations; null if there is none. */
  readonly readerRole: string | null;
  /** Whether the node keeps only the state of recent blocks. */
  readonly isPruned: boolean;
  readonly logger: { info(message: string): void };
}

/** The parts of declared protocols that a chain's indexer and scheduler use. */
export interface OpenProtocols {
  readonly projections: readonly Projection[];
  readonly blockBoundTables: readonly BlockBoundTable[];
  readonly jobs: readonly Job[];
  /** Creates and removes tables, before the index is opened. */
  readonly prepareTables: NonNullable<IndexerDeps["prepareTables"]>;
}

/** Opens the declared protocols indexed on a chain. */
export const openProtocols = ({ database, chain, protocols, readerRole, isPruned, logger }: OpenProtocolsDeps): OpenProtocols => {
  const indexedProtocols = protocolsOn(protocols, chain);
  const projections = indexedProtocols.map((protocol) => declaredProjection(protocol, fixedContracts(protocol, chain)));
  const indexed = indexedProtocols.map((protocol, position) => ({
    installation: installationOf(protocol),
    version: projections[position]?.version ?? 0,
  }));
  const declared = new Set(protocols.map(({ id }) => id));
  return {
    projections,
    // Rows of listed contracts are deleted before the results that list them.
    blockBoundTables: [...listingTables(indexedProtocols), ...blockBoundReadTables(indexedProtocols, isPruned)],
    jobs: createProtocolReadJobs(indexedProtocols),
    prepareTables: (guard, switchedOff) =>
      installProtocols({ database, chainId: chain.id, declared, indexed, switchedOff, readerRole, logger }, guard),
  };
};
