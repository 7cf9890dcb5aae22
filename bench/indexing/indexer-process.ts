import { pino } from "pino";
import { probeCapabilities } from "../../runtime/chain/capabilities.ts";
import { createRpc } from "../../runtime/chain/rpc.ts";
import { createSource } from "../../runtime/chain/source.ts";
import { createDatabase } from "../../runtime/database/database.ts";
import { openProtocols } from "../../runtime/domains/community/open-protocols.ts";
import { createStoredLedger } from "../../runtime/domains/ledger/stored-blocks.ts";
import { createIndexer } from "../../runtime/indexer/session/indexer.ts";
import type { IndexedChain } from "../../runtime/indexer/types.ts";
import { builtInProtocols } from "../../runtime/protocols.ts";
import { readArgument, reportResult, startClock } from "../support/measured-process.ts";
import { projections } from "../support/projections.ts";
import type { IndexerOptions, IndexerRun } from "./runs.ts";
import type { CommitTime } from "./tenths.ts";

// Measures the indexer, wired as in `ashlar index`, from its first request to the commit of the head.
const options = readArgument<IndexerOptions>();
const chain: IndexedChain = {
  id: options.chainId,
  name: "bench",
  from: 0,
  wrappedNative: [],
  nativeAccounting: options.traces ? "traces" : "none",
  pollMilliseconds: 1_000,
};
const database = createDatabase({
  url: options.databaseUrl,
  poolSize: 4,
  statementTimeoutMilliseconds: 0,
  applicationName: "ashlar-bench",
});
const rpc = createRpc({ url: options.rpc });
const logger = pino({ level: "silent" });
await database.query("SELECT 1");

const declared = openProtocols({
  database,
  chain: { ...chain, community: options.community ?? {} },
  protocols: options.community === undefined ? [] : builtInProtocols,
  readerRole: null,
  isPruned: false,
  logger,
});
const commitTimes: CommitTime[] = [];
const stop = new AbortController();
const clock = startClock();
const source = createSource(rpc, await probeCapabilities(rpc, chain.from), { readsTraces: options.traces });
const indexer = createIndexer({
  chain,
  source,
  database,
  ledger: createStoredLedger(database, chain.id),
  projections: [...projections.slice(1).filter(({ id }) => !options.excluded?.includes(id)), ...declared.projections],
  blockBoundTables: declared.blockBoundTables,
  prepareTables: declared.prepareTables,
  logger,
  clock: () => new Date(),
  onProgress: ({ block }) => {
    commitTimes.push({ block, milliseconds: clock().milliseconds });
    if (block >= options.head) stop.abort();
  },
});
await indexer.run(stop.signal);
const timing = clock();
const milliseconds = commitTimes.at(-1)?.milliseconds ?? Number.NaN;
await rpc.close();
await database.close();
reportResult<IndexerRun>({ ...timing, milliseconds, commitTimes, steps: indexer.status().millisecondsByStep });
