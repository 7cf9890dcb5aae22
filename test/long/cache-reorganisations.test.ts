import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainConfigSchema } from "../../runtime/config/config.ts";
import { createKeys } from "../../runtime/http/keys.ts";
import { createPagedLists, type Page, type PagedList } from "../contract/story/paged-lists.ts";
import { isResponse, request, unlimited } from "../e2e/serve/load.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { isAtHead } from "../support/indexer/support.ts";
import { type IndexerProcess, startIndexer } from "../support/indexer-process.ts";
import { scaleTimeLimit } from "../support/scale-time-limit.ts";
import { type ServerProcess, startServer } from "../support/server-process.ts";
import { startTokenChain, type TokenChain } from "../support/token-chain.ts";
import { until } from "../support/until.ts";
import { abandonedBlocks, recordAbandonedBlocks } from "./support/abandoned-blocks.ts";
import { type HashLoad, startHashLoad } from "./support/hash-load.ts";
import { numberFromEnvironment, print } from "./support/settings.ts";

const reorgCount = numberFromEnvironment("LONG_REORGANISATIONS", 40);
const maxDepth = 10;
const clientCount = 8;
const staleMilliseconds = 1_000;
const lists = ["transfers", "logs of a contract", "logs of a topic", "holders"] as const;

let source: TokenChain;
let testDatabase: TestDatabase;
let folder: string;
let indexer: IndexerProcess;
let server: ServerProcess;
let key: string;
let load: HashLoad;

beforeAll(async () => {
  [source, testDatabase, folder] = await Promise.all([startTokenChain(), createTestDatabase(), mkdtemp(join(tmpdir(), "ashlar-cache-"))]);
  await recordAbandonedBlocks(testDatabase.database);
  ({ key } = await createKeys(testDatabase.database).create({ label: "reorganisations" }));
  const settings = { ...chainConfigSchema.parse({ name: "own", id: 31337, rpc: source.chain.url, pollMilliseconds: 50 }), id: 31337 };
  const file = join(folder, "serve.yaml");
  await writeFile(file, JSON.stringify({ chains: [settings], limits: unlimited }));
  indexer = await startIndexer(folder, settings, testDatabase.url);
  server = await startServer(file, testDatabase.url, { args: ["--workers", "4"] });
  await waitForIndex();
});
afterAll(async () => {
  await load?.stop();
  await Promise.all([indexer?.stop(), server?.stop()]);
  await testDatabase?.drop();
  await source?.chain.stop();
  await rm(folder, { recursive: true, force: true });
});

const waitForIndex = () => until("the index to reach the head", () => isAtHead(testDatabase.database, source.chain), 60_000);

/** Returns the row keys of all pages of a list; reads each on a new connection, to reach all workers, and calls `between` between any two pages. */
async function walk({ path, size, rowKey }: PagedList, height: number, between: () => Promise<void>): Promise<string[]> {
  const rows: string[] = [];
  for (let number = 0; ; number += 1) {
    const outcome = await request(`${server.url}/v1/own/${path(height)}&page-size=${size}&page-number=${number}`, key);
    if (!isResponse(outcome) || outcome.status !== 200) throw new Error(`${path(height)}: ${JSON.stringify(outcome)}`);
    const { items, pagination } = (JSON.parse(outcome.body) as { data: Page }).data;
    rows.push(...items.map(rowKey));
    if (!pagination.has_more) return rows;
    await between();
  }
}

describe("four workers that cache responses, under load", () => {
  it(`stop serving a block within a second after it is abandoned, and serve each list row once, over ${reorgCount} reorganisations`, {
    timeout: scaleTimeLimit(60_000 + 30_000 * reorgCount),
  }, async () => {
    const { chain, token, trader } = source;
    const paged = createPagedLists(chain, token, trader);
    const paths = [
      "block_v2/latest/",
      `address/${trader}/transactions_v3/?no-logs=true`,
      `address/${trader}/transfers_v2/?contract-address=${token}`,
    ];
    load = startHashLoad(
      server.url,
      paths.map((path) => `/v1/own/${path}`),
      key,
      clientCount,
    );
    let count = 0;
    // All abandoned blocks are above the anchor of the list being read.
    const growAndReorganise = async (): Promise<void> => {
      const depth = 1 + (count % maxDepth);
      count += 1;
      await source.grow(depth);
      await waitForIndex();
      await source.reorganise(depth);
      await waitForIndex();
    };
    for (let turn = 0; count < reorgCount; turn += 1) {
      const list = paged[lists[turn % lists.length] ?? "transfers"];
      const anchor = await chain.head();
      const expected = await list.expectedKeys(anchor);
      expect(await walk(list, anchor, growAndReorganise)).toEqual(expected);
      expect(expected.length).toBeGreaterThan(list.size);
    }
    // The load continues after the last reorganisation to detect cached responses from the old branch.
    const observedUntil = performance.timeOrigin + performance.now() + 2 * scaleTimeLimit(staleMilliseconds);
    await until("responses two seconds after the last reorganisation", () => (load.seen.at(-1)?.at ?? 0) > observedUntil);
    await load.stop();
    const abandoned = await abandonedBlocks(testDatabase.database);
    const delays = load.seen.flatMap(({ path, at, hashes }) =>
      hashes.flatMap((hash) => {
        const abandonedAt = abandoned.get(hash);
        return abandonedAt === undefined ? [] : [{ path, milliseconds: at - abandonedAt }];
      }),
    );
    const late = delays.filter(({ milliseconds }) => milliseconds > 0).sort((a, b) => b.milliseconds - a.milliseconds);
    print(
      `${count} reorganisations, ${abandoned.size} abandoned blocks; ${load.seen.length} responses, ${late.length} with a block that was abandoned up to ${Math.round(late[0]?.milliseconds ?? 0)} ms earlier`,
    );
    expect(load.failures).toEqual(new Map());
    // Abandoned blocks were served before, but not later than the limit.
    expect(delays.length).toBeGreaterThan(count);
    expect(late.filter(({ milliseconds }) => milliseconds > scaleTimeLimit(staleMilliseconds)).slice(0, 5)).toEqual([]);
  });
});
