import { pino } from "pino";
import supertest from "supertest";
import { createApp } from "../../../../runtime/app.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { pivotOf } from "../../../../runtime/domains/tokens/projection/periods.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Hex } from "../../../../runtime/lib/hex.ts";
import { projections } from "../../../../runtime/projections.ts";
import { createTestDatabase } from "../../../support/database.ts";

const chain: ChainConfig = {
  ...chainConfigSchema.parse({ name: "fixture", id: 7, rpc: "http://127.0.0.1:1", groups: ["historical"] }),
  id: 7,
};
/** Block n is n times six hours after midnight, so there are four blocks per day. */
const firstSecond = Date.UTC(2026, 0, 1) / 1000;
const secondsPerBlock = 6 * 3600;
export const timeOf = (block: number): string =>
  new Date((firstSecond + block * secondsPerBlock) * 1000).toISOString().replace(".000Z", "Z");

/** Returns an address that ends in a number. */
export const addressOf = (number: number): Hex => `0x${number.toString(16).padStart(40, "0")}`;
/** Returns 32 bytes that end in a number. */
export const wordOf = (number: number): Hex => `0x${number.toString(16).padStart(64, "0")}`;
export const blockHashOf = (block: number): Hex => `0x${"b".repeat(32)}${block.toString(16).padStart(32, "0")}`;
export const transactionHashOf = (block: number, index: number): Hex =>
  `0x${"c".repeat(32)}${block.toString(16).padStart(16, "0")}${index.toString(16).padStart(16, "0")}`;

export type Row = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An index that a test fills row by row, served over HTTP with every response validated against the catalog. */
export interface FixtureIndex {
  readonly database: Database;
  /** Inserts rows: `0x…` is bytea, missing columns are null. */
  insert(table: string, rows: readonly Row[]): Promise<void>;
  /** Inserts an owner's balances of a token by their first block; the last one is the current one. */
  insertBalances(owner: string, token: string, standard: number, from: Readonly<Record<number, string | null>>): Promise<void>;
  /** Inserts a range of blocks with their transaction counts, and sets all checkpoints to the last one. */
  insertBlocks(first: number, last: number, transactionCounts?: Readonly<Record<number, number>>): Promise<void>;
  /** Requests a path and returns the data or error message, and the credits. */
  get(
    path: string,
  ): Promise<{ status: number; data: Data; message: string; credits: string; text: string; headers: Readonly<Record<string, string>> }>;
  end(): Promise<void>;
}

/** The data of a response, which was validated against the catalog. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
export type Data = any;

export const transactionRow = (block: number, index: number, from: Hex, to: Hex | null): Row => ({
  chain_id: chain.id,
  block_number: block,
  transaction_index: index,
  hash: transactionHashOf(block, index),
  from_address: from,
  to_address: to,
  value: "7",
  nonce: 0,
  gas_limit: 30_000,
  gas_used: 21_000,
  gas_price: "2000000000",
  type: 2,
  successful: true,
  input: "0x",
});

export async function openFixtureIndex({
  from = 0,
  blockRange = 1000,
  responseRows = 1000,
  responseBytes = 64 * 1024 * 1024,
  now = () => new Date(),
  metadata = "cached" as ChainConfig["nfts"]["metadata"],
  settings = {} as Partial<ChainConfig>,
} = {}): Promise<FixtureIndex> {
  const testDatabase = await createTestDatabase();
  const { database } = testDatabase;
  const { key } = await createKeys(database).create({ label: "test" });
  const http = createApp({
    config: configSchema.parse({
      publicUrl: "https://data.example",
      limits: { blockRange, responseRows, responseBytes, requestsPerSecond: 10_000 },
      // Tests change rows without the jobs that own them, so no response may be cached.
      cache: { megabytes: 0 },
    }),
    chains: [{ ...chain, nfts: { ...chain.nfts, metadata }, ...settings }],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now,
  });
  const insert: FixtureIndex["insert"] = async (table, rows) => {
    const asBytea = (_name: string, value: unknown): unknown =>
      typeof value === "string" && value.startsWith("0x") ? `\\x${value.slice(2)}` : value;
    await database.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_recordset(NULL::${table}, $1)`, [
      JSON.stringify(rows, asBytea),
    ]);
  };
  await insert("chains", [{ chain_id: chain.id, name: chain.name, genesis_hash: blockHashOf(0), indexed_from: from, missing: [] }]);
  return {
    database,
    insert,
    async insertBalances(owner, token, standard, from) {
      const key = { chain_id: chain.id, owner, token, standard };
      const starts = Object.keys(from)
        .map(Number)
        .sort((left, right) => left - right);
      const periods = starts.slice(0, -1).map((start, position) => {
        const end = (starts[position + 1] ?? start) - 1;
        return { ...key, from_block: start, to_block: end, pivot_block: pivotOf(start, end), balance: from[start] ?? null };
      });
      if (periods.length > 0) await insert("balance_periods", periods);
      const since = starts.at(-1);
      if (since !== undefined) await insert("balances", [{ ...key, since_block: since, balance: from[since] ?? null }]);
    },
    insertBlocks: async (first, last, transactionCounts = {}) => {
      await database.query(
        `INSERT INTO projection_checkpoints (chain_id, projection, version, block_number) SELECT $1, unnest($2::text[]), 1, $3
         ON CONFLICT (chain_id, projection) DO UPDATE SET block_number = greatest(projection_checkpoints.block_number, $3)`,
        [chain.id, projections.map(({ id }) => id), last],
      );
      await insert(
        "blocks",
        Array.from({ length: last - first + 1 }, (_, position) => first + position).map((number) => ({
          chain_id: chain.id,
          number,
          hash: blockHashOf(number),
          parent_hash: blockHashOf(Math.max(0, number - 1)),
          timestamp: firstSecond + number * secondsPerBlock,
          miner: addressOf(0xaa),
          extra_data: "0x",
          gas_used: 21_000,
          gas_limit: "30000000",
          size: 600,
          transaction_count: transactionCounts[number] ?? 0,
        })),
      );
    },
    async get(path) {
      const response = await supertest(http.listener).get(path).set("Authorization", `Bearer ${key}`);
      const body = response.body as { data?: Data; error_message?: string | null };
      return {
        status: response.status,
        data: body.data,
        message: body.error_message ?? "",
        credits: response.headers["x-credits"] ?? "",
        text: response.text,
        headers: response.headers as Record<string, string>,
      };
    },
    async end() {
      await http.close();
      await testDatabase.drop();
    },
  };
}
