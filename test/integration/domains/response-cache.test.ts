import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../runtime/app.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../runtime/config/config.ts";
import { standards } from "../../../runtime/domains/tokens/projection/standards.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { type Branching, startBranching } from "../../support/indexer/branches.ts";

let branching: Branching;
let cached: Server;
let computed: Server;

interface Server {
  get(path: string): supertest.Test;
  close(): Promise<void>;
}

/** Serves the index with a cache of the given size. */
async function serve(megabytes: number): Promise<Server> {
  const { chain, testDatabase } = branching;
  const settings: ChainConfig = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
  const { key } = await createKeys(testDatabase.database).create({ label: `cache ${megabytes}` });
  const logger = pino({ level: "silent" });
  const options = configSchema.parse({ cache: { megabytes }, limits: { requestsPerSecond: 100_000 } });
  const http = createApp({ config: options, chains: [settings], database: testDatabase.database, logger, validate: "strict" });
  return {
    get: (path) => supertest(http.listener).get(path).set("Authorization", `Bearer ${key}`).set("Host", "localhost"),
    close: http.close,
  };
}

beforeAll(async () => {
  branching = await startBranching();
  await branching.waitForHead();
  [cached, computed] = await Promise.all([serve(8), serve(0)]);
});
afterAll(async () => {
  await Promise.all([cached?.close(), computed?.close()]);
  await branching?.end();
});

const paths = () => {
  const [first = "", second = ""] = branching.chain.accounts;
  return [
    `/v1/test/address/${first}/balances_v2/`,
    `/v1/test/address/${second}/balances_v2/?format=csv`,
    `/v1/test/address/${first}/transactions_v3/`,
    `/v1/test/address/${second}/transactions_v3/page/0/`,
    `/v1/address/${first}/activity/`,
    "/v1/test/block_v2/latest/",
    "/v1/test/block/latest/transactions_v3/",
    "/v1/chains/",
  ];
};

/** Requests each path twice, and compares both responses with an uncached server's. */
async function compareAll(): Promise<(string | undefined)[]> {
  const states: (string | undefined)[] = [];
  for (const path of paths()) {
    const [expected, first] = [await computed.get(path), await cached.get(path)];
    const second = await cached.get(path);
    expect(expected.status, path).toBe(200);
    for (const actual of [first, second]) {
      expect(actual.text, path).toBe(expected.text);
      expect(actual.headers["x-credits"]).toBe(expected.headers["x-credits"]);
    }
    expect(second.headers["x-cache"], path).toBe("HIT");
    states.push(first.headers["x-cache"]);
  }
  return states;
}

const misses = () => paths().map(() => "MISS");

describe("cached responses", () => {
  it("are the same as computed ones, until a block is added", async () => {
    await compareAll();
    const { data } = (await cached.get("/v1/test/block_v2/latest/")).body;
    await branching.addBlocks();
    await branching.waitForHead();
    expect(await compareAll()).toEqual(misses());
    const next = (await cached.get("/v1/test/block_v2/latest/")).body.data;
    expect(next.items[0].height).toBe(data.items[0].height + 3);
    expect(Date.parse(next.updated_at)).toBeGreaterThanOrEqual(Date.parse(data.updated_at));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])("are discarded by a reorganisation of %i blocks under load", async (depth) => {
    const before = (await cached.get("/v1/test/block_v2/latest/")).body.data.items[0];
    const load = { isEnded: false };
    const requests = (async () => {
      while (!load.isEnded) await Promise.all(paths().map((path) => cached.get(path)));
    })();
    await branching.branch(depth, `cache ${depth}`);
    await branching.waitForHead();
    load.isEnded = true;
    await requests;
    await compareAll();
    const after = (await cached.get("/v1/test/block_v2/latest/")).body.data.items[0];
    const { hash } = await branching.chain.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false]);
    expect(after.block_hash).toBe(hash);
    expect(after.block_hash).not.toBe(before.block_hash);
  });

  it("are discarded when metadata is read later", async () => {
    const { database } = branching.testDatabase;
    await compareAll();
    const [path = ""] = paths();
    expect((await cached.get(path)).text).not.toContain("Read later");
    await database.query(
      `INSERT INTO token_metadata SELECT DISTINCT chain_id, token, 0, 'Read later', 'LATE', 18, 0 FROM balances WHERE standard = $1
       ON CONFLICT (chain_id, address) DO UPDATE SET name = excluded.name`,
      [standards.erc20],
    );
    expect(await compareAll()).toEqual(misses());
    expect((await cached.get(path)).text).toContain("Read later");
  });

  it("are shared by concurrent requests", async () => {
    await branching.addBlocks();
    await branching.waitForHead();
    const [path = ""] = paths();
    const responses = await Promise.all(Array.from({ length: 10 }, () => cached.get(path)));
    const states = responses.map(({ headers }) => headers["x-cache"] ?? "");
    expect(states.filter((state) => state === "MISS")).toEqual(["MISS"]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
  });
});
