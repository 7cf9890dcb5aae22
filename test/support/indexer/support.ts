import { probeCapabilities } from "../../../runtime/chain/capabilities.ts";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../runtime/chain/source.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { addressActivityProjection } from "../../../runtime/domains/ledger/projection/activity.ts";
import { createStoredLedger } from "../../../runtime/domains/ledger/stored-blocks.ts";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import type { Projection } from "../../../runtime/indexer/projection.ts";
import { createIndexer } from "../../../runtime/indexer/session/indexer.ts";
import type { Progress } from "../../../runtime/indexer/session/progress.ts";
import type { IndexedChain, Indexer, IndexerDeps } from "../../../runtime/indexer/types.ts";
import { blockBoundTables } from "../../../runtime/projections.ts";
import type { TestChain } from "../chain.ts";
import { scaleTimeLimit } from "../scale-time-limit.ts";

/** The configuration for anvil's default chain. */
export const chainOf = (overrides: Partial<IndexedChain> = {}): IndexedChain => ({
  id: 31337,
  name: "test",
  from: 0,
  wrappedNative: [],
  nativeAccounting: "traces",
  pollMilliseconds: 20,
  ...overrides,
});

export interface TestIndexer {
  readonly indexer: Indexer;
  readonly source: Source;
  readonly progress: Progress[];
  readonly warnings: string[];
  readonly notes: string[];
  /** Runs until the index with all projections has reached the node's head, then stops. */
  runToHead(head: number): Promise<void>;
  close(): Promise<void>;
}

/** Creates an indexer for the chain behind a URL, wired as in app.ts. */
export const createTestIndexer = async (
  url: string,
  database: Database,
  options: {
    chain?: IndexedChain;
    projections?: readonly Projection[];
    batchSize?: number;
    timeoutMilliseconds?: number;
    silenceMilliseconds?: number;
    traces?: "debug" | "trace";
  } & Partial<
    Pick<IndexerDeps, "tuning" | "tracer" | "genesisAllocation" | "headFeed" | "takeExtraAccounts" | "blockBoundTables" | "prepareTables">
  > = {},
): Promise<TestIndexer> => {
  const chain = options.chain ?? chainOf();
  const rpc = createRpc({
    url,
    retries: 2,
    backoffMilliseconds: 10,
    ...(options.timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds: options.timeoutMilliseconds }),
    ...(options.batchSize === undefined ? {} : { batchSize: options.batchSize }),
  });
  const capabilities = await probeCapabilities(rpc, chain.from);
  const source = createSource(
    rpc,
    { ...capabilities, traceKind: options.traces ?? capabilities.traceKind },
    { readsTraces: chain.nativeAccounting !== "none", chainId: chain.id, waitMilliseconds: 10 },
  );
  const progress: Progress[] = [];
  const warnings: string[] = [];
  const notes: string[] = [];
  const indexer = createIndexer({
    chain,
    source,
    database,
    ledger: createStoredLedger(database, chain.id),
    projections: options.projections ?? [addressActivityProjection, tokensProjection],
    blockBoundTables: [...blockBoundTables, ...(options.blockBoundTables ?? [])],
    logger: { info: (message) => notes.push(message), warn: (message) => warnings.push(message) },
    clock: () => new Date(),
    onProgress: (event) => progress.push(event),
    timing: {
      retry: { base: 5, max: 50 },
      lockWaitMilliseconds: 20,
      confirmationWaitMilliseconds: 10,
      maxSilenceMilliseconds: options.silenceMilliseconds,
    },
    nodeSilentMilliseconds: rpc.silentMilliseconds,
    tracer: options.tracer,
    ...(options.headFeed === undefined ? {} : { headFeed: options.headFeed }),
    ...(options.takeExtraAccounts === undefined ? {} : { takeExtraAccounts: options.takeExtraAccounts }),
    ...(options.prepareTables === undefined ? {} : { prepareTables: options.prepareTables }),
    ...(options.tuning === undefined ? {} : { tuning: options.tuning }),
    ...(options.genesisAllocation === undefined ? {} : { genesisAllocation: options.genesisAllocation }),
  });
  return {
    indexer,
    source,
    progress,
    warnings,
    notes,
    runToHead: (head) =>
      runUntil(indexer, () => indexer.status().isFollowing && indexer.status().block === head && indexer.status().catchingUp.length === 0),
    close: () => rpc.close(),
  };
};

/** Runs an indexer until a condition holds, then stops it and waits until it has stopped. */
export const runUntil = async (indexer: Indexer, isDone: () => boolean, limitMilliseconds = 120_000): Promise<void> => {
  const stop = new AbortController();
  const limit = Date.now() + scaleTimeLimit(limitMilliseconds);
  const timer = setInterval(() => {
    if (isDone() || Date.now() > limit) stop.abort();
  }, 5);
  try {
    await indexer.run(stop.signal);
  } finally {
    clearInterval(timer);
  }
  if (!isDone()) throw new Error(`The indexer did not meet the condition in time: ${JSON.stringify(indexer.status())}`);
};

/** A subquery that returns every balance with the block that set it, from ended periods and current rows. */
export const balanceHistory = `(SELECT chain_id, owner, token, standard, from_block AS block_number, balance FROM balance_periods
  UNION ALL SELECT chain_id, owner, token, standard, since_block, balance FROM balances) history`;

/** Whether every projection without a failure has reached the node's head, by number and hash. */
export const isAtHead = async (database: Database, chain: TestChain): Promise<boolean> => {
  const head = await chain.rpc<{ number: string; hash: string }>("eth_getBlockByNumber", ["latest", false]);
  const [row] = await database.query<{ hash: string | null; lowest: number | null; highest: number | null }>(
    `SELECT (SELECT hash FROM blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1) AS hash, min(block_number) AS lowest, max(block_number) AS highest
     FROM projection_checkpoints WHERE chain_id = $1 AND failure IS NULL`,
    [Number(await chain.rpc("eth_chainId", []))],
  );
  return row?.hash === head.hash && row.lowest === Number(head.number) && row.highest === Number(head.number);
};

/** Runs an indexer in the background and returns a function that stops it. */
export const runInBackground = (running: TestIndexer): (() => Promise<void>) => {
  const stop = new AbortController();
  const run = running.indexer.run(stop.signal);
  run.catch(() => undefined);
  return async () => {
    stop.abort();
    await run;
    await running.close();
  };
};
