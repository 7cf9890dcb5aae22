import { onTestFinished } from "vitest";
import { type ApiServer, startApiServer } from "../../../runtime/commands/api-server.ts";
import { openReplicas } from "../../../runtime/commands/open-replicas.ts";
import { openNotifications } from "../../../runtime/commands/pools.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../runtime/config/key-limits.ts";
import { createDatabase, type Database } from "../../../runtime/database/database.ts";
import type { Replicas } from "../../../runtime/database/replicas/replicas.ts";
import { createLogger } from "../../../runtime/logger.ts";
import type { TestChain } from "../../support/chain.ts";

export interface Server extends ApiServer {
  readonly replicas: Replicas;
  /** Log lines about replicas. */
  readonly log: string[];
  /** The height of the newest block; the response is never cached. @throws {Error} unless the status is 200 */
  height(): Promise<number>;
}

/** Connects without a statement timeout. */
export const connect = (url: string): Database =>
  createDatabase({ url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });

export interface ReplicatedService {
  readonly databaseUrl: string;
  readonly readUrls: readonly string[];
  readonly chain: Pick<TestChain, "url">;
  readonly key: string;
  readonly primaryOutageSeconds?: number;
}

/** Serves from a primary and replicas until the test ends, and caches only heads and keys. */
export async function serveReplicas({ chain, key, ...settings }: ReplicatedService): Promise<Server> {
  const config = configSchema.parse({
    port: 0,
    cache: { megabytes: 0 },
    limits: { requestsPerSecond: "unlimited", ...noKeyLimits },
    ...settings,
  });
  const database = connect(settings.databaseUrl);
  const notifications = openNotifications({ url: settings.databaseUrl });
  const log: string[] = [];
  const note = (message: string): void => void log.push(message);
  const replicas = openReplicas(config, database, { info: note, warn: note });
  if (replicas === undefined) throw new Error("openReplicas opened no replicas; readUrls must not be empty");
  const servedChain: ChainConfig = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
  const logger = createLogger({ logLevel: "silent", logFormat: "json" });
  const api = await startApiServer({ config, chains: [servedChain], database, notifications, replicas, logger });
  onTestFinished(async () => {
    await api.stop();
    await replicas.close();
    await Promise.all([database.close(), notifications.close()]);
  });
  const height = async (): Promise<number> => {
    const response = await fetch(`${api.url}/v1/test/block_v2/latest/?key=${key}`);
    const body = await response.text();
    if (response.status !== 200) throw new Error(`The request for the latest block returned ${response.status}: ${body}`);
    return (JSON.parse(body) as { data: { items: { height: number }[] } }).data.items[0]?.height ?? -1;
  };
  return { ...api, replicas, log, height };
}
