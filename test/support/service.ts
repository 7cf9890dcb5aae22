import { pino } from "pino";
import type { Demo } from "../../demo/types.ts";
import type { AppOptions } from "../../runtime/app.ts";
import { type ApiServer, startApiServer } from "../../runtime/commands/api-server.ts";
import { indexBitcoinChain } from "../../runtime/commands/index-bitcoin.ts";
import { indexChain } from "../../runtime/commands/indexing.ts";
import { type AnyChainConfig, type ChainConfig, configSchema } from "../../runtime/config/config.ts";
import { nodeUrlsOf } from "../../runtime/config/fields.ts";
import { noKeyLimits } from "../../runtime/config/key-limits.ts";
import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { protocolsOn } from "../../runtime/domains/community/contracts-on-chain.ts";
import { declaredReads, firstOfGroups } from "../../runtime/domains/community/jobs/read-contracts/declared-reads.ts";
import { nextBlocks, readSchedule } from "../../runtime/domains/community/jobs/read-contracts/schedule.ts";
import { maxAttempts } from "../../runtime/domains/nft-metadata/jobs/fetch/claims.ts";
import { createKeys } from "../../runtime/http/keys.ts";
import { serverLimits } from "../../runtime/http/server.ts";
import { builtInProtocols } from "../../runtime/protocols.ts";
import { until } from "./until.ts";

/** How long connections to the served story may be idle: on a busy machine, minutes may pass between a test's requests. */
const idleMilliseconds = 3_600_000;

const silentLogger = pino({ level: "silent" });

/** Whether a chain is indexed up to a height and no node reads are pending. */
export async function isIndexed(database: Database, chainId: number, height: number): Promise<boolean> {
  const [row] = await database.query<{ behind: boolean; waiting: boolean }>(
    `SELECT coalesce((SELECT max(number) FROM blocks WHERE chain_id = $1), -1) < $2 OR EXISTS (SELECT FROM projection_checkpoints WHERE chain_id = $1 AND block_number < $2)
       OR NOT EXISTS (SELECT FROM chains WHERE chain_id = $1 AND backfilled_at IS NOT NULL) AS behind,
       EXISTS (SELECT FROM node_reads WHERE chain_id = $1) AS waiting`,
    [chainId, height],
  );
  return row !== undefined && !row.behind && !row.waiting;
}

/**
 * Whether prices are computed up to the last complete hour, and exchanges are rolled up for that hour and for the last hour of each day since the first price.
 */
async function isPriced({ query }: Database, chain: ChainConfig): Promise<boolean> {
  // Prices from pools depend on a feed or a stablecoin: without one, no price is computed.
  if (chain.prices.feeds.length + chain.prices.stablecoins.length === 0) return true;
  const [row] = await query<{ hour: number; priced: number | null; first: number | null; rolled: number; days: number }>(
    `SELECT h.hour, (SELECT max(hour) FROM price_progress WHERE chain_id = $1) AS priced,
       (SELECT min(hour) FROM priced_assets WHERE chain_id = $1) AS first,
       (SELECT count(*) FROM exchange_hours e WHERE e.chain_id = $1 AND e.hour = h.hour)::int4 AS rolled,
       (SELECT count(*) FROM exchange_hours e WHERE e.chain_id = $1 AND e.hour % 24 = 23)::int4 AS days
     FROM (SELECT (max(timestamp) / 3600 - 1)::int4 AS hour FROM blocks WHERE chain_id = $1) h`,
    [chain.id],
  );
  if (row === undefined || row.first === null || row.priced !== row.hour) return false;
  const exchanges = chain.exchanges.filter(({ family }) => family === "xy=k").length;
  const days = Math.floor((row.hour + 1) / 24) - Math.floor(row.first / 24);
  return row.rolled === exchanges && row.days === days * exchanges;
}

/** Whether the metadata of every token was read, or its host failed and another attempt is scheduled. */
async function isMetadataRead({ query }: Database, chain: ChainConfig): Promise<boolean> {
  if (chain.nfts.metadata !== "cached") return true;
  const [row] = await query<{ waits: boolean }>(
    `SELECT EXISTS (SELECT FROM nft_reads WHERE chain_id = $1 AND problem IS NULL) OR EXISTS (SELECT FROM nft_refreshes WHERE chain_id = $1)
       OR EXISTS (SELECT FROM nft_tokens t WHERE chain_id = $1 AND NOT EXISTS (SELECT FROM nft_metadata m WHERE m.chain_id = $1 AND m.token = t.token AND m.token_id = t.token_id)
         AND NOT EXISTS (SELECT FROM nft_reads r WHERE r.chain_id = $1 AND r.token = t.token AND r.token_id = t.token_id)) AS waits`,
    [chain.id],
  );
  return row?.waits === false;
}

/** Whether every allowance in doubt was read, or the call to its contract failed. */
const areAllowancesRead = async ({ query }: Database, chain: ChainConfig): Promise<boolean> =>
  (await query("SELECT FROM allowance_reads WHERE chain_id = $1 AND read_at_block IS NULL AND attempts = 0 LIMIT 1", [chain.id])).length ===
  0;

/** Whether every periodic read of the declared protocols was scheduled for all blocks up to a height, and no read is queued. */
async function areProtocolsRead(database: Database, chain: ChainConfig, height: number): Promise<boolean> {
  for (const read of firstOfGroups(declaredReads(protocolsOn(builtInProtocols, chain)))) {
    const { everyBlocks } = read.definition;
    if (everyBlocks === null) continue;
    const schedule = await readSchedule(database, chain.id, read);
    if (schedule !== null && nextBlocks(schedule.scheduled, everyBlocks, height, schedule.lowest) !== null) return false;
  }
  return (await database.query("SELECT FROM community_reads WHERE chain_id = $1 LIMIT 1", [chain.id])).length === 0;
}

/** Makes the last attempt at temporarily failed metadata reads immediately, and waits for it. */
export async function finishMetadataReads({ query }: Database): Promise<void> {
  await query("UPDATE nft_reads SET attempts = $1, run_after = now() WHERE problem IS NOT NULL", [maxAttempts - 1]);
  await until("the last metadata attempt to finish", async () => (await query("SELECT FROM nft_reads LIMIT 1")).length === 0);
}

/** The node's head height. */
export async function headOf(rpcUrl: string): Promise<number> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const response = await fetch(rpcUrl, { method: "POST", headers: { "content-type": "application/json" }, body });
  return Number(((await response.json()) as { result: string }).result);
}

/** Runs a chain's indexer in this process, and resolves when it has reached the head. Indexing continues until `stop` is called. */
export async function indexUntilHead(chain: ChainConfig, databaseUrl: string): Promise<{ stop(): Promise<void> }> {
  const [node] = nodeUrlsOf(chain);
  if (node === undefined) throw new Error(`Chain ${chain.name} has no rpc setting`);
  const database = createDatabase({ url: databaseUrl, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test-index" });
  const controller = new AbortController();
  const running = indexChain({ chain, database, logger: silentLogger }, controller.signal);
  const height = await headOf(node);
  await Promise.race([until("the backfill to finish", () => isIndexed(database, chain.id, height)), running]);
  await Promise.race([until("prices to be computed", () => isPriced(database, chain)), running]);
  await Promise.race([until("allowances to be read", () => areAllowancesRead(database, chain)), running]);
  await Promise.race([until("declared protocols to be read", () => areProtocolsRead(database, chain, height)), running]);
  await Promise.race([until("metadata to be read", () => isMetadataRead(database, chain)), running]);
  return {
    async stop() {
      controller.abort();
      await running;
      await database.close();
    },
  };
}

/** Indexes all blocks on the demo's Bitcoin chain, which does not grow. */
export async function indexBitcoin({ chain, hashAt }: Demo["bitcoin"], database: Database): Promise<void> {
  const controller = new AbortController();
  const running = indexBitcoinChain({ chain, database, logger: silentLogger }, controller.signal);
  const isComplete = async (): Promise<boolean> => {
    const [row] = await database.query<{ block: number }>(
      "SELECT latest_block AS block FROM chains WHERE chain_id = $1 AND backfilled_at IS NOT NULL",
      [chain.id],
    );
    return row !== undefined && hashAt(row.block) !== null && hashAt(row.block + 1) === null;
  };
  await Promise.race([until("the Bitcoin chain to be indexed", isComplete), running]);
  controller.abort();
  await running;
}

/** Serves the demo's chains from a database on a free port, validating responses strictly. */
export async function serveStory(
  demo: Demo,
  database: Database,
  chains: readonly AnyChainConfig[] = [demo.chain],
): Promise<ApiServer & { readonly key: string }> {
  const { key } = await createKeys(database).create({ label: "tests" });
  const config = configSchema.parse({ port: 0, limits: { requestsPerSecond: 100_000, waitingRequests: 1_000, ...noKeyLimits } });
  const options: AppOptions = {
    config,
    chains,
    database,
    reader: database,
    logger: silentLogger,
    validate: "strict",
    demo: { key, storyValues: demo.story.values },
  };
  const serving = await startApiServer(options, { ...serverLimits, keepAliveMilliseconds: idleMilliseconds, idleMilliseconds });
  return { ...serving, key };
}
