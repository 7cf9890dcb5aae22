import { pino } from "pino";
import supertest from "supertest";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
export type ResponseData = any;

/** An index served over HTTP, with every response validated against the catalog. */
export interface TestApi {
  /** Returns the data of a response with status 200. @throws {Error} for any other status. */
  get(path: string): Promise<ResponseData>;
  /** Returns the status, data and message of any response. */
  request(path: string): Promise<{ status: number; data: ResponseData; message: string }>;
  end(): Promise<void>;
}

/** Serves a chain named `week` with these exchanges. */
export const servePools = async (
  database: Database,
  exchanges: readonly { readonly name: string; readonly factory: Address; readonly family?: "concentrated" }[],
  now: () => Date = () => new Date(),
  limits: { readonly responseRows?: number } = {},
): Promise<TestApi> => {
  const settings = chainConfigSchema.parse({
    name: "week",
    id: 31337,
    rpc: "http://127.0.0.1:1",
    groups: ["historical"],
    explorers: [{ label: "Look", url: "https://look.example" }],
    exchanges: exchanges.map((exchange) => (exchange.family === undefined ? { ...exchange, feePpm: 3_000 } : exchange)),
  });
  const { key } = await createKeys(database).create({ label: "test" });
  const http = createApp({
    config: configSchema.parse({ limits: { requestsPerSecond: 100_000, ...noKeyLimits, ...limits } }),
    chains: [{ ...settings, id: 31337 }],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now,
  });
  const request = async (path: string) => {
    const response = await supertest(http.listener).get(`/v1/${path}`).set("Authorization", `Bearer ${key}`);
    return { status: response.status, data: response.body.data, message: String(response.body.error_message) };
  };
  return {
    request,
    get: async (path) => {
      const { status, data, message } = await request(path);
      if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
      return data;
    },
    end: () => http.close(),
  };
};
