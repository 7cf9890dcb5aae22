import { type ProbedNode, probeNode } from "../chain/node.ts";
import { createRpc, type Rpc } from "../chain/rpc.ts";
import type { TransportOptions } from "../chain/transport.ts";
import type { ChainConfig } from "../config/config.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import type { Database } from "../database/database.ts";
import type { Protocol } from "../declarations/protocol.ts";
import { createAllowanceJobs } from "../domains/approvals/jobs/read-allowances/jobs.ts";
import { openProtocols } from "../domains/community/open-protocols.ts";
import { createRollUpJobs } from "../domains/dex/jobs/roll-up/jobs.ts";
import { createStoredLedger } from "../domains/ledger/stored-blocks.ts";
import { createDocumentReader } from "../domains/nft-metadata/jobs/fetch/documents/read-document.ts";
import { createMetadataWorker } from "../domains/nft-metadata/jobs/fetch/worker.ts";
import { createMetadataJobs } from "../domains/nft-metadata/jobs/jobs.ts";
import { createComputePricesJob } from "../domains/prices/jobs/compute-prices/job.ts";
import { createReconciliationJobs } from "../domains/tokens/jobs/reconcile-balances/jobs.ts";
import { tokenMetadataRead, tokenMetadataRefresh } from "../domains/tokens/projection/metadata-reads.ts";
import type { Heartbeat } from "../indexer/heartbeat.ts";
import { createIndexer } from "../indexer/session/indexer.ts";
import type { Progress } from "../indexer/session/progress.ts";
import type { IndexerStatus } from "../indexer/types.ts";
import { createAnalyzeTables } from "../jobs/analyze-tables.ts";
import { createChainScheduler } from "../jobs/chain-scheduler.ts";
import { createNodeReadScheduler } from "../jobs/node-reads.ts";
import { every, nullOnAbort, poll } from "../lib/async.ts";
import type { Tracer } from "../lib/tracing.ts";
import type { Logger } from "../logger.ts";
import { blockBoundTables, projections } from "../projections.ts";
import { builtInProtocols } from "../protocols.ts";
import { CommandError } from "./command-error.ts";
import { createNativeBalanceMonitor } from "./native-balance-monitor.ts";

export interface IndexingOptions {
  readonly chain: ChainConfig;
  readonly database: Database;
  readonly logger: Logger;
  readonly onProgress?: (progress: Progress) => void;
  /** See `TransportOptions`. */
  readonly onRequest?: TransportOptions["onRequest"];
  readonly heartbeat?: Pick<Heartbeat, "beat" | "fail"> | undefined;
  /** Traces batches; not traced by default. */
  readonly tracer?: Tracer | undefined;
  /** Declared protocols; the built-in ones by default. */
  readonly protocols?: readonly Protocol[];
  /** The role that runs the SQL of declared protocols; null if there is none. */
  readonly readerRole?: string | null;
}

const retrySeconds = 5;
/** Jobs run while the index is at most this many blocks behind the head; with short block times, the index is always a few blocks behind. */
const maxBehind = 16;

/**
 * Indexes a chain from its first node and runs its jobs until the signal aborts. @throws {IndexMismatchError} if the index is incompatible with the
 * configuration or the node.
 */
export async function indexChain(options: IndexingOptions, signal: AbortSignal): Promise<void> {
  const { chain, logger, onRequest } = options;
  const [url] = nodeUrlsOf(chain);
  if (url === undefined)
    throw new CommandError(`No node configured for chain ${chain.name}; set its rpc in ashlar.yaml or pass --rpc URL.`);
  const rpc = createRpc({
    url,
    onRetry: (reason, attempt) => logger.debug({ chain: chain.name, attempt, reason }, "Retrying a request to the node"),
    onRequest,
  });
  try {
    const node = await probeWithRetries(rpc, url, options, signal);
    if (node === null) return;
    const { indexer, runners } = createIndexing(options, node, rpc.silentMilliseconds);
    const stop = new AbortController();
    const runnerSignal = AbortSignal.any([signal, stop.signal]);
    const running = Promise.all(runners.map((runner) => runner.run(runnerSignal)));
    try {
      await indexer.run(signal);
    } finally {
      stop.abort();
      // Jobs may be waiting for a node that does not respond: closing the connections aborts their requests.
      await rpc.close();
      await running;
      node.headFeed?.close();
    }
  } finally {
    await rpc.close();
  }
}

/** Work that runs alongside the indexer until the signal aborts. */
interface Runner {
  run(signal: AbortSignal): Promise<void>;
}

/** Creates a chain's indexer and the work that runs alongside it: jobs, contract reads, metadata, and native balance comparisons. */
function createIndexing(options: IndexingOptions, { source, headFeed }: ProbedNode, nodeSilentMilliseconds: () => number) {
  const { chain, database, logger, onProgress, heartbeat, tracer, protocols = builtInProtocols, readerRole = null } = options;
  const clock = (): Date => new Date();
  const common = { chainId: chain.id, chainName: chain.name, database, source, multicallAddress: chain.multicall, clock, logger };
  const declared = openProtocols({ database, chain, protocols, readerRole, isPruned: !source.capabilities.hasArchiveState, logger });
  const nativeBalanceMonitor = createNativeBalanceMonitor({ chain, database, source, logger, status: () => indexer.status() });
  const indexer = createIndexer({
    chain,
    source,
    database,
    ledger: createStoredLedger(database, chain.id),
    projections: [...projections, ...declared.projections],
    blockBoundTables: [...blockBoundTables, ...declared.blockBoundTables],
    prepareTables: declared.prepareTables,
    logger,
    clock,
    takeExtraAccounts: nativeBalanceMonitor.takeChanged,
    nodeSilentMilliseconds,
    tracer,
    ...(headFeed === null ? {} : { headFeed }),
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(heartbeat === undefined ? {} : { heartbeat }),
  });
  const nodeReads = createNodeReadScheduler({
    ...common,
    reads: [tokenMetadataRead, tokenMetadataRefresh],
    isLeading: () => indexer.status().isLeading,
  });
  const metadata = createMetadataWorker({ ...common, nfts: chain.nfts, readDocument: createDocumentReader(chain.nfts) });
  const scheduler = createChainScheduler({
    ...common,
    jobs: [
      ...createReconciliationJobs(),
      createComputePricesJob(chain),
      ...createRollUpJobs(chain),
      ...createAllowanceJobs(),
      ...createMetadataJobs(chain),
      ...declared.jobs,
      createAnalyzeTables(),
    ],
    runExclusive: indexer.runExclusive,
    runExclusiveKeepingCache: indexer.runExclusiveKeepingCache,
    isReady: () => isAtHead(indexer.status()),
  });
  const runners: readonly Runner[] = [nodeReads, scheduler, nativeBalanceMonitor, metadata];
  return { indexer, runners };
}

/**
 * Whether this process is the chain's leader and its index is at the head or close to it. A write by a job makes the indexer fold the next batch again, which
 * must not slow down an index that is behind.
 */
export const isAtHead = ({ isLeading, isFollowing, catchingUp, head, block }: IndexerStatus): boolean =>
  isLeading && isFollowing && catchingUp.length === 0 && (head ?? block) - block <= maxBehind;

/** Probes the node's capabilities, with retries while it cannot be reached; null if the signal aborts. */
function probeWithRetries(
  rpc: Rpc,
  url: string,
  { chain, logger, heartbeat }: IndexingOptions,
  signal: AbortSignal,
): Promise<ProbedNode | null> {
  const attempt = async (): Promise<ProbedNode | null> => {
    try {
      const probing = probeNode({
        rpc,
        url,
        webSocket: chain.ws,
        chainId: chain.id,
        from: chain.from,
        readsTraces: chain.nativeAccounting !== "none",
        systemAccounts: chain.systemAccounts,
        onInvalidResponse: (reason) => logger.warn({ chain: chain.name, reason }, "The node returned inconsistent data"),
        onHeadFeedChange: (message) => logger.info({ chain: chain.name }, message),
      });
      const node = await nullOnAbort(probing, signal);
      if (node === null) closeWhenProbed(probing);
      return node;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      heartbeat?.fail(reason);
      logger.warn(`The node of ${chain.name} cannot be used (${reason}); retrying in ${retrySeconds} s`);
      return null;
    }
  };
  return poll(attempt, { ...every(retrySeconds * 1_000), signal });
}

/** Closes the head feed if a probe completes after the abort. */
const closeWhenProbed = (probing: Promise<ProbedNode>): void =>
  void probing.then(
    ({ headFeed }) => headFeed?.close(),
    () => undefined,
  );
