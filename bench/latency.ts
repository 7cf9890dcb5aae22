import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { z } from "zod";
import { chainConfigSchema } from "../runtime/config/config.ts";
import { createKeys } from "../runtime/http/keys.ts";
import type { Address } from "../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../test/support/chain.ts";
import { startIndexer } from "../test/support/indexer-process.ts";
import { startServer } from "../test/support/server-process.ts";
import { type BenchResult, median, rounded } from "./result.ts";
import { type Calibration, calibrateByQuery } from "./support/calibration.ts";
import { numberOption } from "./support/number-option.ts";
import { raisedLimits } from "./support/raised-limits.ts";
import { createRandom, hexOf } from "./support/random.ts";
import { startBenchServer } from "./support/server.ts";

/** The target for the median in milliseconds, on the reference machine. */
const referenceTarget = 150;
/** The number of blocks before the measured ones. */
const warmUpBlocks = 5;
const maxWaitMilliseconds = 30_000;

interface Measured {
  readonly mode: "websocket" | "polling";
  readonly milliseconds: readonly number[];
  readonly load: number;
}

interface Work {
  readonly chain: TestChain;
  readonly token: Address;
  readonly url: string;
  readonly key: string;
  readonly transfers: number;
}

/** Measures the time from mining a block until a server process serves the balances that it changed; the indexer uses a websocket, then polling. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      blocks: { type: "string", default: "60" },
      transfers: { type: "string", default: "20" },
      poll: { type: "string", default: "1000" },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-latency-"));
  const server = await startBenchServer(join(folder, "database"));
  try {
    const results: Measured[] = [];
    for (const mode of ["websocket", "polling"] as const) {
      const databaseUrl = await server.create(mode);
      const { key } = await server.runOn(mode, (database) => createKeys(database).create({ label: "bench" }));
      const size = {
        blocks: numberOption(values, "blocks"),
        transfers: numberOption(values, "transfers"),
        poll: numberOption(values, "poll"),
      };
      results.push(await measure(mode, { folder, databaseUrl, key }, size));
    }
    return resultOf(results, await server.runOn("polling", (database) => calibrateByQuery(database)));
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Measures one mode with a new node, indexer and server. */
async function measure(
  mode: Measured["mode"],
  { folder, databaseUrl, key }: { readonly folder: string; readonly databaseUrl: string; readonly key: string },
  { blocks, transfers, poll }: { readonly blocks: number; readonly transfers: number; readonly poll: number },
): Promise<Measured> {
  const chain = await startTestChain();
  const settings: z.input<typeof chainConfigSchema> = {
    name: "bench",
    id: 31337,
    rpc: chain.url,
    nativeAccounting: "traces",
    pollMilliseconds: poll,
    // No server listens there, so the indexer polls the node for its head.
    ...(mode === "polling" ? { ws: "ws://127.0.0.1:9" } : {}),
  };
  const config = { ...chainConfigSchema.parse(settings), id: 31337 };
  const file = join(folder, "serve.yaml");
  await writeFile(file, JSON.stringify({ chains: [config], limits: { requestsPerSecond: 1_000_000, ...raisedLimits } }));
  const token = await chain.deploy(artifacts.erc20(), ["Ledger Coin", "LEDGER"]);
  const indexer = await startIndexer(folder, config, databaseUrl);
  const serving = await startServer(file, databaseUrl);
  try {
    const work: Work = { chain, token: token.toLowerCase() as Address, url: serving.url, key, transfers };
    const samples: number[] = [];
    const random = createRandom(1);
    for (let block = -warmUpBlocks; block < blocks; block += 1) {
      // Blocks are mined at random times between two polls: a block that is mined right after a poll always has the maximum wait.
      await wait(random() * poll);
      const milliseconds = await measureBlock(work, block + warmUpBlocks);
      // The first blocks wait for the backfill and warm up all caches.
      if (block >= 0) samples.push(milliseconds);
    }
    return { mode, milliseconds: samples, load: loadavg()[0] ?? Number.NaN };
  } finally {
    await serving.stop();
    await indexer.stop();
    await chain.stop();
  }
}

/** Mines a block that gives new accounts a balance, and returns the milliseconds until the API serves it, including the time of the node. */
async function measureBlock({ chain, token, url, key, transfers }: Work, number: number): Promise<number> {
  const recipients = Array.from({ length: transfers }, (_, index) => hexOf(3, number * transfers + index, 5));
  await chain.send(...recipients.map((recipient) => ({ ...encodeCall(artifacts.erc20(), token, "mint", [recipient, 7n]), gas: 200_000n })));
  const target = `${url}/v1/bench/address/${recipients.at(-1)}/balances_v2/`;
  const started = performance.now();
  await chain.mine();
  while (performance.now() - started < maxWaitMilliseconds) {
    const response = await fetch(target, { headers: { authorization: `Bearer ${key}` } });
    const { data } = (await response.json()) as {
      readonly data: { readonly items: readonly { readonly contract_address: Address }[] } | null;
    };
    if (data?.items.some(({ contract_address: address }) => address === token) === true) return performance.now() - started;
  }
  throw new Error(`Block ${number} was not served within ${maxWaitMilliseconds / 1000} s.`);
}

function resultOf(results: readonly Measured[], calibration: Calibration): BenchResult {
  const targetMilliseconds = rounded(referenceTarget * calibration.factor, 0);
  const table = results.map(({ mode, milliseconds, load }) => {
    const sorted = [...milliseconds].sort((left, right) => left - right);
    const percentile = (part: number): number =>
      rounded(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN, 0);
    return {
      "new heads": mode,
      blocks: milliseconds.length,
      "median ms": rounded(median(milliseconds), 0),
      "min ms": percentile(0),
      "p90 ms": percentile(0.9),
      "max ms": percentile(1),
      "system load": rounded(load, 1),
    };
  });
  const byWebSocket = median(results.find(({ mode }) => mode === "websocket")?.milliseconds ?? []);
  return {
    table,
    figures: Object.fromEntries(results.map(({ mode, milliseconds }) => [mode, rounded(median(milliseconds), 1)])),
    missed:
      byWebSocket < targetMilliseconds
        ? []
        : [`With a websocket, the median was ${rounded(byWebSocket, 0)} ms; the target is less than ${targetMilliseconds} ms.`],
  };
}
