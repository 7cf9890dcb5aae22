import { join } from "node:path";
import { type BenchResult, median, rounded } from "../result.ts";
import { compileScript } from "../support/compile-script.ts";
import { measureProcess } from "../support/measured-process.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows } from "../support/tables.ts";
import type { CatchUpRun } from "./catch-up-process.ts";
import { openIndex, type ServeOptions } from "./serve.ts";

const script = new URL("./catch-up-process.ts", import.meta.url);
/** The target: the minimum number of the index's logs that are read per second. */
const minRate = 20_000;

/** The parameters of the generated index, and the id of the protocol that is added to it. */
export interface AddOptions extends Pick<ServeOptions, "seed" | "events" | "protocols"> {
  readonly added: string;
}

/** Repeatedly adds a protocol to an index that has the logs of several protocols but was built without their declarations. */
export async function addProtocol(server: BenchServer, { added, ...size }: AddOptions, folder: string, runs: number): Promise<BenchResult> {
  const compiled = compileScript(script, join(folder, "catch-up"));
  const ledger = await openIndex(server, { ...size, declared: false });
  const { logs = 0 } = await server.runOn(ledger, countRows);
  const target = "community_added";
  const measured: CatchUpRun[] = [];
  let megabytes = 0;
  for (let run = 0; run < runs; run += 1) {
    await server.copy(ledger, target);
    await server.runOn(target, (database) => database.query("CHECKPOINT"));
    const { result, megabytes: peak } = await measureProcess<CatchUpRun>(compiled, {
      databaseUrl: server.urlOf(target),
      protocols: [added],
    });
    measured.push(result);
    megabytes = Math.max(megabytes, peak);
  }
  await server.drop(target);
  const rates = measured.map(({ milliseconds }) => Math.round((1_000 * logs) / milliseconds));
  const rate = median(rates);
  return {
    table: measured.map(({ milliseconds, cpuSeconds, rows }, run) => ({
      run: `adding ${added} to an index of ${logs} logs`,
      ms: Math.round(milliseconds),
      "own CPU s": rounded(cpuSeconds, 1),
      "logs per second": rates[run] ?? 0,
      "target logs per second": minRate,
      rows,
    })),
    figures: { catchUpLogsPerSecond: rate, catchUpMegabytes: megabytes },
    missed: rate >= minRate ? [] : [`Adding ${added} read ${rate} logs per second; the target is at least ${minRate}.`],
  };
}
