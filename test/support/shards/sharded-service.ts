import { pino } from "pino";
import type { Address, Hex } from "viem";
import { onTestFinished } from "vitest";
import { type ApiServer, startApiServer } from "../../../runtime/commands/api-server.ts";
import { runIndexers } from "../../../runtime/commands/index-chains.ts";
import type { LongRunningOptions } from "../../../runtime/commands/open-database.ts";
import { openServiceDatabases } from "../../../runtime/commands/open-service-databases.ts";
import { openServingShards, type ServingShards } from "../../../runtime/commands/serving-shards.ts";
import { type AnyChainConfig, type Config, configSchema } from "../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../runtime/config/key-limits.ts";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import { migrate } from "../../../runtime/database/migrate.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { migrations } from "../../../runtime/migrations.ts";
import { builtInProtocols } from "../../../runtime/protocols.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../chain.ts";
import { type ReplicatedServer, startPrimary } from "../database/replication.ts";
import { createTestDatabase, type TestDatabase } from "../database.ts";
import { isIndexed } from "../service.ts";
import { startTcpProxy, type TcpProxy } from "../tcp-proxy.ts";
import { until } from "../until.ts";

/** A chain with an ERC-20 token. */
export interface SmallChain extends TestChain {
  readonly token: Address;
  /** The transaction with its last transfer. */
  readonly transfer: Hex;
}

/** Two chains: `one` in the control database, and `two` in the database `b` behind a proxy. */
export interface ShardedService {
  readonly one: SmallChain;
  readonly two: SmallChain;
  readonly control: TestDatabase;
  readonly shard: { readonly server: ReplicatedServer; readonly database: Database; readonly proxy: TcpProxy };
  /** A database with both chains. */
  readonly singleDatabase: TestDatabase;
  readonly shardedConfig: Config;
  readonly singleConfig: Config;
  /** An API key that is valid in the control database and in `singleDatabase`. */
  readonly key: string;
  end(): Promise<void>;
}

const logger = pino({ level: "silent" });
/** A declared protocol that is indexed on chain `two` only. */
export const protocolOfTwo = "protocol_08";
const ids = { one: 31_337, two: 31_338 };
/** The servers' clock. */
const now = () => new Date("2026-03-01T12:00:00Z");

async function startSmallChain(id: number, amount: bigint): Promise<SmallChain> {
  const chain = await startTestChain({ args: ["--chain-id", `${id}`] });
  const erc20 = artifacts.erc20();
  const token = await chain.deploy(erc20, ["Token", "TKN"]);
  const [sender, recipient] = chain.accounts as [Address, Address];
  let transfer: Hex = "0x";
  for (const [name, ...args] of [
    ["mint", sender, 1_000n],
    ["transfer", recipient, amount],
    ["transfer", recipient, 1n],
  ] as const) {
    [transfer = "0x"] = await chain.send(encodeCall(erc20, token, name, args), { to: recipient, value: amount });
    await chain.mine();
  }
  return { ...chain, token, transfer };
}

const connect = (url: string): Database =>
  createDatabase({ url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });

/** A process that runs until it is stopped. */
function longRunning(signal: AbortSignal, log: (line: string) => void = () => undefined): LongRunningOptions {
  const write = (first: unknown, second?: unknown): void => log(String(second ?? first));
  return {
    shutdown: { signal, fail: () => undefined, waitFor: async (_, work) => void (await work) },
    logger: { info: write, warn: write, error: write },
  };
}

/** Indexes a configuration's chains until the condition holds. */
export async function indexUntil(config: Config, isDone: () => Promise<boolean>): Promise<void> {
  const stop = new AbortController();
  const database = await openServiceDatabases(config, [], longRunning(stop.signal));
  const progress = { report: () => undefined, print: () => undefined, end: () => undefined };
  const chains = config.chains as AnyChainConfig[];
  const indexing = runIndexers({ chains, protocols: builtInProtocols, database, logger, progress }, stop.signal);
  try {
    await Promise.race([until("the chains to be indexed", isDone, 60_000), indexing]);
  } finally {
    stop.abort();
    await indexing;
    await database.close();
  }
}

/** Starts the chains, and indexes them into their databases. */
export async function startSharded(): Promise<ShardedService> {
  const [one, two] = await Promise.all([startSmallChain(ids.one, 10n), startSmallChain(ids.two, 20n)]);
  const [control, singleDatabase, server] = await Promise.all([createTestDatabase(), createTestDatabase(), startPrimary()]);
  const database = connect(server.url);
  await migrate(database, migrations);
  const proxy = await startTcpProxy(server.url);
  const proxied = new URL(server.url);
  proxied.port = `${proxy.port}`;
  const feed = { of: "EUR", aggregators: [`0x${"ee".repeat(20)}`], decimals: 8 };
  const chains = [
    { name: "one", id: ids.one, rpc: one.url, pollMilliseconds: 50 },
    {
      name: "two",
      id: ids.two,
      rpc: two.url,
      pollMilliseconds: 50,
      // Chain `one` uses the euro rate of this feed.
      prices: { feeds: [feed] },
      community: { [protocolOfTwo]: { comptroller: [two.token] } },
    },
  ];
  const common = {
    port: 0,
    publicUrl: "https://data.example",
    migrate: "auto",
    cache: { megabytes: 8 },
    limits: { requestsPerSecond: 100_000, ...noKeyLimits },
  };
  const singleConfig = configSchema.parse({ ...common, databaseUrl: singleDatabase.url, chains });
  const shardedConfig = configSchema.parse({
    ...common,
    databaseUrl: control.url,
    databases: { b: { url: proxied.href } },
    chains: chains.map((chain) => (chain.name === "two" ? { ...chain, database: "b" } : chain)),
  });
  const heads = { one: await one.head(), two: await two.head() };
  const isDone = (databases: { readonly one: Database; readonly two: Database }) => async () =>
    (await isIndexed(databases.one, ids.one, heads.one)) && (await isIndexed(databases.two, ids.two, heads.two));
  await indexUntil(shardedConfig, isDone({ one: control.database, two: database }));
  await indexUntil(singleConfig, isDone({ one: singleDatabase.database, two: singleDatabase.database }));
  const { key } = await createKeys(control.database).create({ label: "shards" });
  await copyKeys(control.database, singleDatabase.database);
  return {
    one,
    two,
    control,
    shard: { server, database, proxy },
    singleDatabase,
    shardedConfig,
    singleConfig,
    key,
    async end() {
      await proxy.close();
      await database.close();
      await Promise.all([control.drop(), singleDatabase.drop(), server.remove(), one.stop(), two.stop()]);
    },
  };
}

/** Makes a key of one database valid in another. */
async function copyKeys(from: Database, to: Database): Promise<void> {
  const [row] = await from.query<{ keys: string }>("SELECT json_agg(k)::text AS keys FROM api_keys k");
  await to.query("INSERT INTO api_keys OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::api_keys, $1::json)", [
    row?.keys,
  ]);
}

/** A server's response. */
export interface JsonResponse {
  readonly status: number;
  readonly body: { readonly data: Record<string, unknown> | null; readonly error_message: string | null };
}

export interface Server extends ApiServer {
  readonly log: readonly string[];
  /** The databases' replicas, by database name. */
  readonly replicas: ServingShards["replicas"];
  get(path: string): Promise<JsonResponse>;
}

/** Serves a configuration until the end of the test. */
export async function serve(config: Config, key: string): Promise<Server> {
  const stop = new AbortController();
  const log: string[] = [];
  const running = longRunning(stop.signal, (line) => log.push(line));
  const database = await openServiceDatabases(config, [], running);
  const shards = openServingShards(database.shards, running.logger);
  const { serving: pool, control, reader, notifications } = database;
  const serving = await startApiServer({
    config,
    chains: config.chains as AnyChainConfig[],
    database: pool,
    control,
    reader,
    notifications,
    shards: shards.connections,
    logger,
    validate: "strict",
    now,
  });
  onTestFinished(async () => {
    stop.abort();
    await serving.stop();
    await shards.close();
    await database.close();
  });
  return {
    ...serving,
    log,
    replicas: shards.replicas,
    async get(path) {
      const response = await fetch(`${serving.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
      return { status: response.status, body: (await response.json()) as JsonResponse["body"] };
    },
  };
}
