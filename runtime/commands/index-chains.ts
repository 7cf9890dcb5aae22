import { stdout } from "node:process";
import type { FailureKind } from "../chain/request-failure.ts";
import { type AnyChainConfig, type Config, isBitcoinChain } from "../config/config.ts";
import { databaseNameOf } from "../config/database-config.ts";
import type { Protocol } from "../declarations/protocol.ts";
import { redactMessage } from "../http/redact.ts";
import { countProgress, countRequest, type IndexerCounts } from "../indexer/counts.ts";
import { IndexMismatchError } from "../indexer/errors.ts";
import { createHeartbeat } from "../indexer/heartbeat.ts";
import type { Progress as IndexingProgress } from "../indexer/session/progress.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import type { Tracer } from "../lib/tracing.ts";
import { createLogger, type Logger } from "../logger.ts";
import type { Metrics } from "../metrics/start-metrics.ts";
import { isPaused } from "../operator/pause.ts";
import { loadProtocols } from "../protocols.ts";
import { CommandError } from "./command-error.ts";
import { renderDatabaseName } from "./database-option.ts";
import { createDiskSpace, type DiskSpace } from "./disk-space.ts";
import { indexBitcoinChain } from "./index-bitcoin.ts";
import { type IndexDatabases, storeOf } from "./index-database.ts";
import { createFailover } from "./index-with-failover.ts";
import type { indexChain } from "./indexing.ts";
import { keepIndexing } from "./keep-indexing.ts";
import { openMetrics, poolsOf } from "./open-metrics.ts";
import { openServiceDatabases } from "./open-service-databases.ts";
import { openTracing } from "./open-tracing.ts";
import { createProgress, type Progress } from "./progress.ts";
import { requireChains, resolveChains } from "./resolve-chains.ts";
import { type PausableRun, runUnlessPaused } from "./run-unless-paused.ts";
import { runUntilStopped, settlesWithin, waitForAbort } from "./shutdown.ts";
import { createStopFunctions } from "./stop-functions.ts";

/** `ashlar index`: runs the indexer without a server until the process is stopped. */
export async function indexChains(config: Config): Promise<void> {
  requireChains(config);
  const { protocols, addedProtocols } = loadProtocols(config);
  const progress = createProgress();
  const logger = createLogger({ ...config, destination: progress.logs });
  await runUntilStopped(progress.print, async (shutdown) => {
    const { signal } = shutdown;
    const stop = createStopFunctions(shutdown);
    const database = await openServiceDatabases(config, addedProtocols, { shutdown, logger });
    let metrics: Metrics | undefined;
    const tracing = await openTracing(config, "indexer", logger);
    try {
      metrics = await openMetrics(config, database, progress.print);
      const countsOf = metrics?.addIndexer("indexer", poolsOf(database));
      const chains = await resolveChains(config, database, signal);
      stdout.write(`Indexing ${chains.map((chain) => chain.name).join(", ")}.\n`);
      const indexing = runIndexers(
        { chains, protocols, database, diskSpace: createDiskSpace(config), logger, progress, countsOf, tracer: tracing?.tracer },
        signal,
      );
      await Promise.race([indexing, waitForAbort(signal)]);
      progress.end();
      await stop.indexer(indexing);
    } finally {
      progress.end();
      metrics?.close();
      await tracing?.close();
      await stop.database(database);
    }
  });
}

export interface RunIndexersOptions {
  readonly chains: readonly AnyChainConfig[];
  readonly protocols: readonly Protocol[];
  readonly database: IndexDatabases;
  /** The space for the database; not watched by default. */
  readonly diskSpace?: DiskSpace | null;
  readonly logger: Logger;
  readonly progress: Progress;
  /** Whether a failure that the operator has to resolve ends indexing, instead of being retried; true by default. */
  readonly endsOnFatalFailure?: boolean;
  /** A chain's counts for metrics; not counted by default. */
  readonly countsOf?: ((chain: string) => IndexerCounts) | undefined;
  /** Traces batches of EVM chains; not traced by default. */
  readonly tracer?: Tracer | undefined;
}

/** How long to wait for a heartbeat statement when indexing ends. */
const heartbeatMilliseconds = 1_000;

/**
 * Indexes several chains concurrently, and restarts each with backoff when it fails. A configuration error is permanent, as is one that the operator
 * has to resolve if `endsOnFatalFailure`; one chain's permanent failure does not stop the others. @throws {CommandError} if all have failed
 * permanently.
 */
export async function runIndexers(options: RunIndexersOptions, signal: AbortSignal): Promise<void> {
  const failures: string[] = [];
  await Promise.all(
    options.chains.map(async (chain) => {
      const reason = await indexUntilStopped(chain, options, signal);
      if (reason !== null) failures.push(reason);
    }),
  );
  if (failures.length === options.chains.length) throw new CommandError(failures.join("\n"));
}

/** The reason that readiness reports while indexing is paused because of low disk space. */
const lowDiskReason =
  "the data directory's file system has less free space than minFreeDiskMegabytes; indexing continues when twice as much is free";

/** Indexes a chain until the signal aborts. Returns the reason if it fails permanently before that. */
async function indexUntilStopped(
  chain: AnyChainConfig,
  { protocols, database: databases, diskSpace, logger, progress, endsOnFatalFailure = true, countsOf, tracer }: RunIndexersOptions,
  signal: AbortSignal,
): Promise<string | null> {
  const { database, readerRole } = storeOf(chain, databases);
  const heartbeat = createHeartbeat({ database, chainId: chain.id });
  const counts = countsOf?.(chain.name);
  const report = createReporter(progress, chain);
  const inDatabase = (databases.shards ?? []).length === 0 ? "" : ` --database ${renderDatabaseName(databaseNameOf(chain))}`;
  const common = {
    database,
    logger,
    heartbeat,
    onProgress(event: IndexingProgress) {
      report(event);
      if (counts !== undefined) countProgress(counts, event);
    },
    ...(counts === undefined ? {} : { onRequest: (calls: number, failure: FailureKind | null) => countRequest(counts, calls, failure) }),
  };
  let failover: PausableRun["run"] | undefined;
  const pausable: PausableRun = {
    async run(active) {
      const role = readerRole();
      if (isBitcoinChain(chain)) return indexBitcoinChain({ chain, ...common }, active);
      failover ??= createFailover({ chain, protocols, readerRole: role, tracer, ...common });
      return failover(active);
    },
    async readPauseCause() {
      if (await diskSpace?.isLow()) {
        heartbeat.fail(lowDiskReason);
        return "disk";
      }
      return (await isPaused(database, chain.id)) ? "operator" : null;
    },
    onChange(cause) {
      if (cause === "operator") {
        logger.info({ chain: chain.name }, "Paused indexing");
        progress.print(`Paused indexing ${chain.name}; resume it with: ashlar chains resume ${chain.name}${inDatabase}`);
      } else if (cause === "disk") {
        logger.warn({ chain: chain.name }, "Paused indexing until there is more disk space");
        progress.print(`Paused indexing ${chain.name}: ${lowDiskReason}`);
      } else {
        logger.info({ chain: chain.name }, "Resumed indexing");
        progress.print(`Resumed indexing ${chain.name}`);
      }
    },
  };
  try {
    await keepIndexing(
      {
        run: () => runUnlessPaused(pausable, signal),
        isFinal: (error) => error instanceof CommandError || (endsOnFatalFailure && error instanceof IndexMismatchError),
        onFailure: async (error, wait) => {
          // Only the message is logged, because a database error also contains rows, statements and the server's file names.
          const reason = redactMessage(messageOf(error));
          const restart = wait === null ? {} : { retrySeconds: wait / 1_000 };
          logger.error({ chain: chain.name, reason, ...restart }, "Indexing stopped");
          const restarting = wait === null ? "" : `, restarting in ${wait / 1_000} s`;
          progress.print(`Indexing ${chain.name} stopped${restarting}: ${escapeTerminal(reason)}`);
          await heartbeat.stop(reason);
        },
      },
      signal,
    );
    return null;
  } catch (error) {
    return messageOf(error);
  } finally {
    await settlesWithin(heartbeat.settled(), heartbeatMilliseconds);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reports the backfill and each catch-up as a task; batches at the head are not reported. */
const createReporter =
  (progress: Progress, chain: AnyChainConfig): NonNullable<Parameters<typeof indexChain>[0]["onProgress"]> =>
  ({ phase, projection, from, block, target, rowCount }) => {
    const pace = { unit: "blocks", newRows: rowCount };
    const name = phase === "backfill" ? `index ${chain.name}` : `catch up ${projection} of ${chain.name}`;
    if (phase === "backfill" || phase === "catch-up") progress.report(name, block - from + 1, target - from + 1, pace);
    if (phase === "reorganisation") progress.print(`Reorganisation on ${chain.name} above block ${block}`);
  };
