import type { Capabilities } from "../../runtime/chain/capabilities.ts";
import type { Source } from "../../runtime/chain/source.ts";
import { createDatabase } from "../../runtime/database/database.ts";
import { openProtocols } from "../../runtime/domains/community/open-protocols.ts";
import { createStoredLedger } from "../../runtime/domains/ledger/stored-blocks.ts";
import { createIndexer } from "../../runtime/indexer/session/indexer.ts";
import type { Hash } from "../../runtime/lib/hex.ts";
import { readArgument, reportResult, startClock } from "../support/measured-process.ts";
import { projections } from "../support/projections.ts";
import { chainId, communityOf } from "./chain-config.ts";
import { plannedProtocols } from "./plans.ts";

/** A run in which protocols caught up with the ledger of an index: its duration, and the number of rows written. */
export interface CatchUpRun {
  readonly milliseconds: number;
  readonly cpuSeconds: number;
  readonly rows: number;
}

const { databaseUrl, protocols } = readArgument<{ readonly databaseUrl: string; readonly protocols: readonly string[] }>();
const database = createDatabase({ url: databaseUrl, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
const [head] = await database.query<{ number: number; hash: Hash; timestamp: number }>(
  "SELECT number, hash, timestamp FROM blocks ORDER BY number DESC LIMIT 1",
);
if (head === undefined) throw new Error("The index has no blocks");
const planned = plannedProtocols(protocols);
const {
  projections: protocolProjections,
  prepareTables,
  blockBoundTables,
} = openProtocols({
  database,
  chain: { id: chainId, name: "bench", community: communityOf(planned) },
  protocols: planned.map(({ protocol }) => protocol),
  readerRole: null,
  isPruned: false,
  logger: { info: () => undefined },
});
const capabilities: Capabilities = {
  hasBlockReceipts: true,
  traceKind: null,
  hasOldTraces: false,
  hasFinalizedTag: false,
  hasArchiveState: true,
  hasStateByHash: false,
  hasWebSocket: null,
  batchSize: 1,
};
const unexpectedRequest = (): Promise<never> => Promise.reject(new Error("Unexpected request to the node"));
const hashesOf: Source["hashesOf"] = async (heights) => {
  const blocks = await database.query<{ number: number; hash: Hash }>("SELECT number, hash FROM blocks WHERE number = ANY ($1)", [heights]);
  return heights.map((height) => blocks.find(({ number }) => number === height)?.hash ?? null);
};
/** Reports the blocks of the index like a node, and rejects all other requests. */
const source: Source = {
  capabilities,
  readsTraces: false,
  chainId: async () => chainId,
  genesisHash: async () => "0x00",
  head: async () => head,
  finalizedBlock: async () => null,
  hashesOf,
  fetchBlocks: unexpectedRequest,
  balances: unexpectedRequest,
  balanceOutcomes: unexpectedRequest,
  runCalls: unexpectedRequest,
};

let rows = 0;
let caughtUpCount = 0;
const stop = new AbortController();
const clock = startClock();
await createIndexer({
  chain: { id: chainId, name: "bench", from: 0, wrappedNative: [], nativeAccounting: "none", pollMilliseconds: 1_000 },
  source,
  database,
  ledger: createStoredLedger(database, chainId),
  projections: [...projections.slice(1), ...protocolProjections],
  blockBoundTables,
  prepareTables,
  logger: { info: () => undefined, warn: () => undefined },
  clock: () => new Date(),
  onProgress: (progress) => {
    if (progress.phase !== "catch-up") return;
    rows += progress.rowCount;
    if (progress.block >= head.number) caughtUpCount += 1;
    if (caughtUpCount === protocolProjections.length) stop.abort();
  },
}).run(stop.signal);
const timing = clock();
await database.close();
reportResult<CatchUpRun>({ ...timing, rows });
