import { probeCapabilities } from "../../runtime/chain/capabilities.ts";
import { createRpc } from "../../runtime/chain/rpc.ts";
import { createSource } from "../../runtime/chain/source.ts";
import type { Database } from "../../runtime/database/database.ts";
import { createStoredLedger } from "../../runtime/domains/ledger/stored-blocks.ts";
import { tokensProjection } from "../../runtime/domains/tokens/projection.ts";
import { createIndexer } from "../../runtime/indexer/indexer.ts";
import type { Progress } from "../../runtime/indexer/progress.ts";
import type { Projection } from "../../runtime/indexer/projection.ts";
import type { IndexedChain, Indexer, IndexerDeps } from "../../runtime/indexer/types.ts";

/** Anvil's chain as a configuration would state it. */
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
  readonly progress: Progress[];
  readonly warnings: string[];
  /** Runs until the index is level with the node and no projection is behind, then stops. */
  runToHead(head: number): Promise<void>;
  close(): Promise<void>;
}

/** An indexer of the chain behind a URL, as app.ts would wire it. */
export const createTestIndexer = async (
  url: string,
  database: Database,
  options: { chain?: IndexedChain; projections?: readonly Projection[]; batchSize?: number; traces?: "debug" | "trace" } & Partial<
    Pick<IndexerDeps, "tuning" | "genesisAllocation">
  > = {},
): Promise<TestIndexer> => {
  const chain = options.chain ?? chainOf();
  const rpc = createRpc({
    url,
    retries: 2,
    backOffMilliseconds: 10,
    ...(options.batchSize === undefined ? {} : { batchSize: options.batchSize }),
  });
  const capabilities = await probeCapabilities(rpc, chain.from);
  const source = createSource(
    rpc,
    { ...capabilities, traces: options.traces ?? capabilities.traces },
    { tracing: chain.nativeAccounting === "traces", waitMilliseconds: 10 },
  );
  const progress: Progress[] = [];
  const warnings: string[] = [];
  const indexer = createIndexer({
    chain,
    source,
    database,
    ledger: createStoredLedger(database, chain.id),
    projections: options.projections ?? [tokensProjection],
    following: [
      { name: "token_metadata", blockColumn: "block_number" },
      { name: "page_anchors", blockColumn: "block_number" },
    ],
    logger: { info: () => undefined, warn: (message) => warnings.push(message) },
    clock: () => new Date(),
    onProgress: (event) => progress.push(event),
    ...(options.tuning === undefined ? {} : { tuning: options.tuning }),
    ...(options.genesisAllocation === undefined ? {} : { genesisAllocation: options.genesisAllocation }),
  });
  return {
    indexer,
    progress,
    warnings,
    runToHead: (head) =>
      runUntil(indexer, () => indexer.status().following && indexer.status().block === head && indexer.status().catchingUp.length === 0),
    close: () => rpc.close(),
  };
};

/** Runs an indexer until a condition holds, then ends it and waits for its end. */
export const runUntil = async (indexer: Indexer, done: () => boolean, limitMilliseconds = 20_000): Promise<void> => {
  const stop = new AbortController();
  const deadline = Date.now() + limitMilliseconds;
  const timer = setInterval(() => {
    if (done() || Date.now() > deadline) stop.abort();
  }, 5);
  try {
    await indexer.run(stop.signal);
  } finally {
    clearInterval(timer);
  }
  if (!done()) throw new Error(`The indexer did not come to its end: ${JSON.stringify(indexer.status())}`);
};

/** Every table that the blocks decide. */
export const decidedTables = [
  "blocks",
  "transactions",
  "logs",
  "traces",
  "withdrawals",
  "address_transactions",
  "token_standards",
  "transfers",
  "transfer_transactions",
  "balances",
  "balance_periods",
  "nft_balances",
  "nft_balance_periods",
  "holder_counts",
  "projection_checkpoints",
  "base_reads",
] as const;

/** Every balance from the block on that set it: the periods that ended, and what holds now. */
export const balanceHistory = `(SELECT chain_id, owner, token, standard, from_block AS block_number, balance FROM balance_periods
  UNION ALL SELECT chain_id, owner, token, standard, since_block, balance FROM balances) history`;

/** All rows of the decided tables as text, in an order of their own. */
export const dump = async (database: Database): Promise<Record<string, string[]>> => {
  const tables: Record<string, string[]> = {};
  for (const table of decidedTables) {
    const rows = await database.query<{ line: string }>(`SELECT t::text AS line FROM ${table} t ORDER BY 1`);
    tables[table] = rows.map(({ line }) => line);
  }
  return tables;
};
