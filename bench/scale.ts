import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../test/support/free-port.ts";
import type { BenchResult } from "./result.ts";
import { type Layout, resultOf, type ScaleFigures } from "./scale/figures.ts";
import { measureScaleCell, type ScaleLoad } from "./scale/measure-cell.ts";
import { parseOptions, type ScaleOptions } from "./scale/options.ts";
import { type BenchShard, forBothChains, startShard } from "./scale/shard.ts";
import { startStandby } from "./scale/standby.ts";
import { selectCases } from "./serve/cases.ts";
import { connectionsPerKey } from "./serve/cells.ts";
import { openServedIndex } from "./serve/index.ts";
import { withKeys } from "./serve/keys.ts";
import { firstWarmUpMilliseconds } from "./serve/options.ts";
import { compilePrograms, type Programs, startProduct } from "./serve/product.ts";
import type { RowCase } from "./serve/row-case.ts";
import { postmasterOf } from "./support/cpu-time.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

/** The index can be generated again, so it need not survive a power failure. */
const settings = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  max_connections: "400",
  wal_level: "replica",
  max_wal_senders: "8",
  wal_keep_size: "512MB",
};
const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Measures `ashlar serve` with varying numbers of processes, streaming replicas and shards: the rates, and each role's CPU time. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const options = parseOptions(args);
  const cases = selectCases(options, options.rows);
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-scale-"));
  // A separate folder, because replicas copy all of it.
  const dataDirectory = process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-scaled");
  const primary = await startBenchServer(dataDirectory, settings);
  const standbys: BenchServer[] = [];
  let shard: BenchShard | undefined;
  try {
    const name = await openServedIndex(primary, { seed: options.seed, transfers: options.transfers }, print);
    if (options.shards.includes(2)) shard = await startShard(`${dataDirectory}-shard`, settings, options, print);
    for (let number = 1; number <= Math.max(...options.replicas); number += 1) {
      print(`Starting replica ${number}`);
      standbys.push(await startStandby(primary, dataDirectory, join(folder, `replica-${number}`), settings));
    }
    const programs = compilePrograms(join(folder, "programs"));
    const count = Math.ceil(options.connections / connectionsPerKey);
    const figures = await primary.runOn(name, (database) =>
      withKeys(database, count, (keys) => measure({ primary, standbys, shard, name, folder, programs, cases, options, keys })),
    );
    return resultOf(figures, loadavg()[0] ?? Number.NaN);
  } finally {
    for (const standby of standbys) await standby.stop();
    await shard?.server.stop();
    await primary.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Work {
  readonly primary: BenchServer;
  readonly standbys: readonly BenchServer[];
  readonly shard: BenchShard | undefined;
  readonly name: string;
  readonly folder: string;
  readonly programs: Programs;
  readonly cases: readonly RowCase[];
  readonly options: ScaleOptions;
  readonly keys: readonly string[];
}

/** Measures all cells. The database layouts alternate, so that other load on the machine affects them alike. */
async function measure(work: Work): Promise<readonly ScaleFigures[]> {
  const { replicas, shards, processes } = work.options;
  const layouts: readonly Layout[] = shards.flatMap((count) =>
    count === 1 ? replicas.map((replicaCount) => ({ shards: count, replicas: replicaCount })) : [{ shards: count, replicas: 0 }],
  );
  const figures: ScaleFigures[] = [];
  for (const processCount of processes) {
    for (const layout of layouts) figures.push(...(await measureServer(work, layout, processCount)));
  }
  const position = ({ rowCase }: ScaleFigures): number => work.cases.indexOf(rowCase);
  return figures.sort(
    (left, right) =>
      position(left) - position(right) || left.layout.shards - right.layout.shards || left.layout.replicas - right.layout.replicas,
  );
}

/** Starts a server and measures all rows. */
async function measureServer(work: Work, layout: Layout, processes: number): Promise<ScaleFigures[]> {
  const { primary, standbys, name, folder, programs, cases, options, keys } = work;
  const { replicas, shards } = layout;
  const shard = shards === 2 ? work.shard : undefined;
  const serverFolder = join(folder, `server-${shards}-${replicas}-${processes}`);
  mkdirSync(serverFolder);
  const used = standbys.slice(0, replicas);
  const metricsPort = await freePort();
  const postmasters = {
    primary: await primary.runOn(name, postmasterOf),
    replicas: await Promise.all(used.map((each) => each.runOn(name, postmasterOf))),
    shard: shard === undefined ? null : await shard.server.runOn(shard.databaseName, postmasterOf),
  };
  const readUrls = used.map((each) => each.urlOf(name));
  const server = await startProduct(programs, primary.urlOf(name), serverFolder, {
    workers: processes,
    readUrls,
    shards: shard === undefined ? [] : [shard],
    metricsPort,
  });
  try {
    const { connections, milliseconds } = options;
    const load: ScaleLoad = { script: programs.load, keys, connections, milliseconds, warmUpMilliseconds: firstWarmUpMilliseconds };
    const figures: ScaleFigures[] = [];
    for (const rowCase of cases) {
      const cell = await measureScaleCell(
        { server, metricsPort, postmasters },
        shard === undefined ? rowCase : forBothChains(rowCase),
        load,
      );
      figures.push({ rowCase, layout, processes, cell });
      print(
        `Row ${rowCase.row}, shards: ${shards}, replicas: ${replicas}, processes: ${processes}: ${Math.round(cell.perSecond)} requests/s`,
      );
    }
    return figures;
  } finally {
    await server.stop();
  }
}
