import { pino } from "pino";
import { startApiServer } from "../../runtime/commands/api-server.ts";
import { type ChainConfig, configSchema } from "../../runtime/config/config.ts";
import type { Database } from "../../runtime/database/database.ts";
import { createKeys } from "../../runtime/http/keys.ts";
import { raisedLimits } from "./raised-limits.ts";

/** A server in this process with one chain and an API key. */
export interface BenchApiServer {
  /** Requests a path below /v1 and returns the body. @throws {Error} if the status is not 200. */
  get(path: string): Promise<string>;
  /** Stops the server and deletes the key. */
  close(): Promise<void>;
}

/** Starts serving a database. Responses are neither cached nor compressed, because that would measure the cache and the encoder instead. */
export async function startBenchApiServer(database: Database, chain: ChainConfig): Promise<BenchApiServer> {
  const { key, id } = await createKeys(database).create({ label: "bench" });
  const server = await startApiServer({
    config: configSchema.parse({ port: 0, cache: { megabytes: 0 }, limits: { requestsPerSecond: 100_000, ...raisedLimits } }),
    chains: [chain],
    database,
    reader: database,
    logger: pino({ level: "silent" }),
  });
  return {
    get: async (path) => {
      const response = await fetch(`${server.url}/v1/${path}`, {
        headers: { authorization: `Bearer ${key}`, "accept-encoding": "identity" },
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path} returned status ${response.status}: ${text.slice(0, 500)}`);
      return text;
    },
    async close() {
      await server.stop();
      await database.query("DELETE FROM credit_usage WHERE key_id = $1", [id]);
      await database.query("DELETE FROM api_keys WHERE id = $1", [id]);
    },
  };
}
