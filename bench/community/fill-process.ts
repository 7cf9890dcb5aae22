import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { columnList, identifier, sql } from "../../runtime/database/sql.ts";
import { declaredReads } from "../../runtime/domains/community/jobs/read-contracts/declared-reads.ts";
import { openProtocols } from "../../runtime/domains/community/open-protocols.ts";
import { ledgerProjection } from "../../runtime/domains/ledger/projection/index.ts";
import { poolsProjection } from "../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../runtime/domains/tokens/projection/index.ts";
import { createEventDecoder } from "../../runtime/events/event-decoder.ts";
import { fillTables, writeChain, writeTokenMetadata } from "../support/fill.ts";
import { readArgument, reportResult } from "../support/measured-process.ts";
import { withoutIndexes } from "../support/without-indexes.ts";
import { chainId, communityOf } from "./chain-config.ts";
import { assetOf, type PlannedProtocol } from "./plan.ts";
import { plannedProtocols } from "./plans.ts";
import { writeAssetPrices } from "./prices.ts";
import { withReadResults } from "./read-results.ts";
import { generateBlocks, type StorySize } from "./story.ts";

interface Argument extends StorySize {
  readonly databaseUrl: string;
  readonly protocols: readonly string[];
  /** Whether the tables of the protocols are filled too; otherwise a protocol can be added to the index. */
  readonly declared: boolean;
}

const { databaseUrl, protocols, declared, ...size } = readArgument<Argument>();
const database = createDatabase({ url: databaseUrl, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
const planned = plannedProtocols(protocols);
const base = [ledgerProjection, tokensProjection, poolsProjection];
const { projections, prepareTables } = openProtocols({
  database,
  chain: { id: chainId, name: "bench", community: communityOf(planned) },
  protocols: planned.map(({ protocol }) => protocol),
  readerRole: null,
  isPruned: false,
  logger: { info: () => undefined },
});
if (declared) await prepareTables(async () => undefined, new Set());
await withoutIndexes(database, async () => {
  const decode = createEventDecoder(base.flatMap(({ events }) => events));
  const decoded = function* () {
    for (const block of generateBlocks(planned, size)) yield decode(block);
  };
  const protocolProjections = declared
    ? projections.map((projection, position) => withReadResults(projection, planned[position] as PlannedProtocol))
    : [];
  const last = await fillTables(database, decoded(), {
    chainId,
    projections: [...base, ...protocolProjections],
    nativeAccounting: "none",
    blocksPerBatch: 100,
  });
  if (last === undefined) return;
  await writeChain(database, chainId, last);
  await writeTokenMetadata(database, chainId);
  const marketCount = Math.max(...planned.map(({ plan }) => plan.marketCount));
  const assets = Array.from({ length: marketCount }, (_, market) => assetOf(market));
  await writeAssetPrices(database, chainId, assets, last.timestamp);
  if (declared) await fillNewest(database);
  if (declared) await writeCheckpoints(database, last.number);
});
await database.query("VACUUM ANALYZE");
await database.close();
reportResult({});

/** Writes the newest results of reads, as the job that stores results does. */
async function fillNewest(target: Database): Promise<void> {
  for (const { table, latestTable } of declaredReads(planned.map(({ protocol }) => protocol))) {
    if (latestTable === null) continue;
    const key = columnList(latestTable.key);
    const columns = columnList(Object.keys(latestTable.columns));
    await target.query(
      sql`INSERT INTO ${identifier(latestTable.name)} (chain_id, ${columns})
       SELECT DISTINCT ON (${key}) chain_id, ${columns} FROM ${identifier(table.name)} ORDER BY ${key}, block_number DESC`,
    );
  }
}

/** Writes the checkpoints of the protocols, as the indexing loop does. */
async function writeCheckpoints(target: Database, head: number): Promise<void> {
  await target.query(
    `INSERT INTO projection_checkpoints (chain_id, projection, version, block_number)
     SELECT $1, id, version, $2 FROM unnest($3::text[], $4::int[]) AS p(id, version)`,
    [chainId, head, projections.map(({ id }) => id), projections.map(({ version }) => version)],
  );
}
