import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Database } from "../runtime/database/database.ts";
import { startHistory } from "./indexing/chain.ts";
import type { RunOptions } from "./indexing/runs.ts";
import { type BenchResult, median, rounded } from "./result.ts";
import { compileScript } from "./support/compile-script.ts";
import { numberOption } from "./support/number-option.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

const peersFolder = fileURLToPath(new URL("./peers/", import.meta.url));
const indexerScript = new URL("./indexing/indexer-process.ts", import.meta.url);
const maxWaitMilliseconds = 600_000;
const targets: Readonly<Record<string, { readonly target: number; readonly failsBelow: number }>> = {
  ponder: { target: 3, failsBelow: 1.5 },
  subsquid: { target: 1, failsBelow: 1 },
};

interface Peer {
  readonly name: string;
  /** Creates the peer's tables before the peer starts. */
  readonly prepare?: (database: Database) => Promise<unknown>;
  readonly start: (databaseUrl: string) => ChildProcess;
  /** SQL that counts the transfers that the peer has committed. */
  readonly transfers: string;
}

interface Timing {
  readonly name: string;
  readonly milliseconds: number;
  readonly load: number;
}

/** Runs Ashlar's indexer and its peers alternately on one chain and one server, each from process start until the last transfer is committed. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: "string", default: peersFolder },
      transfers: { type: "string", default: "40000" },
      blocks: { type: "string", default: "3000" },
      runs: { type: "string", default: "3" },
      only: { type: "string", default: "ponder,subsquid" },
    },
  });
  if (!existsSync(join(values.folder, "node_modules")))
    throw new Error("The peers are not installed; run npm install --prefix bench/peers first.");
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-peers-"));
  const server = await startBenchServer(folder);
  try {
    const chain = await startHistory(
      { transfers: numberOption(values, "transfers"), blocks: numberOption(values, "blocks") },
      join(folder, "node"),
    );
    try {
      const source = { rpc: chain.url, chainId: Number(await chain.rpc("eth_chainId")), head: await chain.head(), token: chain.token };
      const others = [ponder(values.folder, source), subsquid(values.folder, source)].filter(({ name }) =>
        values.only.split(",").includes(name),
      );
      const peers = [ashlar(compileScript(indexerScript, join(folder, "compiled")), source), ...others];
      const timings: Timing[] = [];
      for (let index = 0; index < numberOption(values, "runs"); index += 1) {
        for (const peer of peers) timings.push(await timePeer(server, peer, chain.transfers));
      }
      return resultOf(timings);
    } finally {
      await chain.stop();
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

type ChainSource = Omit<RunOptions, "databaseUrl" | "traces"> & { readonly token: string };

const environmentOf = (source: ChainSource, databaseUrl: string): NodeJS.ProcessEnv => ({
  ...process.env,
  DATABASE_URL: databaseUrl,
  DB_URL: databaseUrl,
  BENCH_RPC: source.rpc,
  BENCH_CHAIN_ID: String(source.chainId),
  BENCH_HEAD: String(source.head),
  BENCH_TOKEN: source.token,
});

/** Ashlar's indexer as a compiled script, because the peers and an installed package are compiled too. */
const ashlar = (script: URL, source: ChainSource): Peer => ({
  name: "ashlar",
  transfers: "SELECT count(*) AS count FROM transfers",
  start: (databaseUrl) =>
    spawn(process.execPath, [fileURLToPath(script), JSON.stringify({ ...source, databaseUrl, traces: false })], {
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    }),
});

const ponder = (folder: string, source: ChainSource): Peer => ({
  name: "ponder",
  transfers: "SELECT count(*) AS count FROM bench.transfer",
  start: (databaseUrl) => {
    const program = join(folder, "node_modules", "ponder", "dist", "esm", "bin", "ponder.js");
    const args = [program, "start", "--root", join(folder, "ponder"), "--schema", "bench", "--port", "0", "--log-level", "error"];
    const env = { ...environmentOf(source, databaseUrl), PONDER_TELEMETRY_DISABLED: "true" };
    return spawn(process.execPath, args, { cwd: join(folder, "ponder"), env, stdio: ["ignore", "inherit", "inherit"] });
  },
});

const subsquid = (folder: string, source: ChainSource): Peer => ({
  name: "subsquid",
  transfers: "SELECT count(*) AS count FROM transfer",
  prepare: (database) => database.query(readFileSync(join(folder, "subsquid", "tables.sql"), "utf8")),
  start: (databaseUrl) => {
    const env = { ...environmentOf(source, databaseUrl), SQD_INFO: "", SQD_WARN: "*" };
    return spawn(process.execPath, [join(folder, "subsquid", "main.js")], { env, stdio: ["ignore", "ignore", "ignore"] });
  },
});

async function timePeer(server: BenchServer, { name, prepare, start, transfers }: Peer, expected: number): Promise<Timing> {
  const url = await server.create("peers");
  return server.runOn("peers", async (database) => {
    await prepare?.(database);
    await database.query("CHECKPOINT");
    const started = performance.now();
    const child = start(url);
    const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
    try {
      while ((await countOf(database, transfers)) < expected) {
        if (performance.now() - started > maxWaitMilliseconds)
          throw new Error(`${name} did not finish in ${maxWaitMilliseconds / 1000} s.`);
        if (child.signalCode !== null || (child.exitCode ?? 0) !== 0)
          throw new Error(`${name} exited with ${child.signalCode ?? `code ${child.exitCode}`}.`);
        await wait(50);
      }
      const [load = Number.NaN] = loadavg();
      return { name, milliseconds: performance.now() - started, load };
    } finally {
      child.kill("SIGKILL");
      await exited;
    }
  });
}

/** Returns the number of transfers; 0 until the table exists. */
async function countOf(database: Database, sql: string): Promise<number> {
  const rows = await database.query<{ count: number }>(sql).catch(() => []);
  return rows[0]?.count ?? 0;
}

function resultOf(timings: readonly Timing[]): BenchResult {
  const names = [...new Set(timings.map(({ name }) => name))];
  const medians = new Map(
    names.map((name) => [name, median(timings.filter((timing) => timing.name === name).map((timing) => timing.milliseconds))]),
  );
  const ashlarMedian = medians.get("ashlar") ?? Number.NaN;
  const ratios = names.map((name) => ({ name, ratio: (medians.get(name) ?? Number.NaN) / ashlarMedian }));
  return {
    table: timings.map(({ name, milliseconds, load }) => ({
      indexer: name,
      ms: Math.round(milliseconds),
      "ratio of medians": rounded((medians.get(name) ?? Number.NaN) / ashlarMedian),
      "system load": rounded(load, 1),
    })),
    figures: Object.fromEntries(ratios.map(({ name, ratio }) => [`${name}Ratio`, rounded(ratio)])),
    missed: ratios.flatMap(({ name, ratio }) => {
      const bound = targets[name];
      return bound === undefined || ratio >= bound.target
        ? []
        : [
            `${name} took ${rounded(ratio)} times as long as Ashlar; the target is at least ${bound.target}, and a ratio below ${bound.failsBelow} is a failure.`,
          ];
    }),
  };
}
