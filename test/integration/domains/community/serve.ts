import { pino } from "pino";
import supertest from "supertest";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import type { ConfiguredContracts } from "../../../../runtime/domains/community/contracts-on-chain.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";

/** The data of a response from a community endpoint. */
export interface ListData {
  readonly items: Readonly<Record<string, unknown>>[];
  readonly pagination: { readonly has_more: boolean; readonly page_number: number };
  readonly chain_name: string;
}

/** Community endpoints over HTTP, with every response validated against the catalog. */
export interface ServedCommunity {
  /** The response to a path relative to the community endpoints, with any status. */
  request(path: string): Promise<{ readonly status: number; readonly text: string; readonly message: string; readonly data: ListData }>;
  /** The data of a response with status 200. @throws {Error} for any other status. */
  get(path: string): Promise<ListData>;
  /** The items of the response to a path relative to the chain. @throws {Error} for any status other than 200. */
  itemsOf(path: string): Promise<ListData["items"]>;
  close(): Promise<void>;
}

/** Serves protocols on a chain `test` with contracts, and on a chain `other` without them. */
export const serveCommunity = async (
  database: Database,
  {
    protocols,
    community: configured,
    logged,
  }: {
    readonly protocols: readonly Protocol[];
    readonly community: ConfiguredContracts;
    /** Receives the log lines, as JSON. */
    readonly logged?: string[];
  },
): Promise<ServedCommunity> => {
  const rpc = "http://127.0.0.1:1";
  const settings = chainConfigSchema.parse({ name: "test", id: 31337, rpc, community: configured });
  const other = chainConfigSchema.parse({ name: "other", id: 1, rpc });
  const app = createApp({
    config: configSchema.parse({ limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [
      { ...other, id: 1 },
      { ...settings, id: 31337 },
    ],
    database,
    reader: database,
    protocols,
    logger: logged === undefined ? pino({ level: "silent" }) : pino({}, { write: (line: string) => void logged.push(line) }),
    validate: "strict",
  });
  const { key } = await createKeys(database).create({ label: "test" });
  const requestPath: ServedCommunity["request"] = async (path) => {
    const response = await supertest(app.listener).get(path).set("Authorization", `Bearer ${key}`);
    return { status: response.status, text: response.text, message: String(response.body.error_message), data: response.body.data };
  };
  const getPath = async (path: string): Promise<ListData> => {
    const { status, data, message } = await requestPath(path);
    if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
    return data;
  };
  const communityPath = (path: string): string => `/v1/cq/provider/app/${path}`;
  return {
    request: (path) => requestPath(communityPath(path)),
    get: (path) => getPath(communityPath(path)),
    itemsOf: async (path) => (await getPath(`/v1/test/${path}`)).items,
    close: () => app.close(),
  };
};
