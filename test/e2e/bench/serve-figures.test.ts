import { describe, expect, it } from "vitest";
import type { Cell } from "../../../bench/serve/cells.ts";
import { compareRates } from "../../../bench/serve/check-bare.ts";
import { estimatedRate } from "../../../bench/serve/estimate.ts";
import { limitOf } from "../../../bench/serve/limit.ts";
import { parseOptions } from "../../../bench/serve/options.ts";
import { medianOf, ratesOf } from "../../../bench/serve/summary.ts";
import { markOfMax, markOfRate } from "../../../bench/serve/targets.ts";

const cell = (perSecond: number, cpu: { server: number; database: number; load: number }): Cell => ({
  perSecond,
  requests: perSecond,
  milliseconds: 1000,
  failures: 0,
  bytes: 0,
  cached: 0,
  p50: 0,
  p99: 0,
  serverCpu: cpu.server,
  databaseCpu: cpu.database,
  loadCpu: cpu.load,
});
const idle = { server: 0, database: 0, load: 0 };

describe("bench serve figures", () => {
  it("mark rates against the targets for lists, balances and other rows", () => {
    expect([0.7, 0.69, 0.5, 0.49].map((ratio) => markOfRate("list", ratio))).toEqual(["met", "below target", "below target", "MISSED"]);
    expect([0.6, 0.59, 0.45, 0.44].map((ratio) => markOfRate("balances", ratio))).toEqual([
      "met",
      "below target",
      "below target",
      "MISSED",
    ]);
    expect([0.4, 0.39].map((ratio) => markOfRate("other", ratio))).toEqual(["met", "MISSED"]);
  });

  it("mark latency and CPU time against their maximum", () => {
    expect([markOfMax("latency", 1.5), markOfMax("latency", 1.51), markOfMax("cpu", 1.6), markOfMax("cpu", 1.61)]).toEqual([
      "met",
      "MISSED",
      "met",
      "MISSED",
    ]);
    expect(markOfMax("cpu", null)).toBe("");
  });

  it("are the median, minimum and maximum of the pairs' ratios", () => {
    const pairs = [
      { product: cell(50, idle), bare: cell(100, idle) },
      { product: cell(90, idle), bare: cell(100, idle) },
      { product: cell(14, idle), bare: cell(20, idle) },
    ];
    // 50/100 = 0.5, 90/100 = 0.9, 14/20 = 0.7.
    expect(ratesOf({ connections: 32, pairs })).toEqual({ median: 0.7, min: 0.5, max: 0.9 });
    expect(medianOf({ connections: 32, pairs }, "product", ({ perSecond }) => perSecond)).toBe(50);
  });

  it("estimate the rate for a number of workers, up to PostgreSQL's limit", () => {
    // Each worker: 1000 / 2 ms = 500/s; PostgreSQL on four cores: 4 * 1000 / 0.5 ms = 8000/s, which 16 workers reach.
    expect([1, 8, 16, 32].map((workers) => estimatedRate(workers, 2, 0.5, 4))).toEqual([500, 4000, 8000, 8000]);
  });

  it("name the component that limits the rate on two cores", () => {
    // The used cores are rate * CPU ms / 1000: 500 * 1.9 ms = 0.95 of one worker's core.
    expect(limitOf(cell(500, { server: 1.9, database: 0.5, load: 100 }), 1, 2)).toBe("product CPU");
    // 500 * 3.5 ms = 1.75 of two cores.
    expect(limitOf(cell(500, { server: 0.3, database: 3.5, load: 50 }), 2, 2)).toBe("PostgreSQL");
    expect(limitOf(cell(500, { server: 0.5, database: 0.5, load: 900 }), 2, 2)).toBe("load generator");
    // 0.9 + 0.8 + 0.2 = 1.9 of two cores: together they are the limit, none of them alone.
    expect(limitOf(cell(500, { server: 1.8, database: 1.6, load: 200 }), 2, 2)).toBe("cores of this machine, mostly product CPU");
    expect(limitOf(cell(500, { server: 0.5, database: 0.5, load: 50 }), 2, 2)).toBe("other load, or waiting");
  });

  it("compare the bare server with pgbench by rates, or by CPU time on a busy machine", () => {
    // 2000 * 0.45 ms = 0.9 of a core: the bare server itself is the limit.
    expect(compareRates(cell(2000, { server: 0.45, database: 0.2, load: 100 }), 8000, 2)).toMatchObject({ ratio: 0.25, basis: "rates" });
    // 500 * 0.7 ms = 0.35 of two cores. Alone: min(1000 / 0.4, 2 * 1000 / 0.7) = 2500 of 2 * 1000 / 0.3 = 6667.
    const disturbed = compareRates(cell(500, { server: 0.4, database: 0.3, load: 100 }), 5000, 2);
    expect(disturbed.basis).toBe("CPU");
    expect(disturbed.ratio).toBeCloseTo(2500 / (2000 / 0.3), 6);
  });

  it("are measured for all rows within the requested minutes", () => {
    // 11 minutes minus one minute are 600 s: 37.5 s for each of 16 rows, including 12 s of checks. The rest is divided among
    // 2 * (2 * 3 + 2) + 3 = 19 cells, each of which takes 0.55 s in addition to the measured time.
    expect(parseOptions([]).milliseconds / 1000).toBeCloseTo((37.5 - 12) / 19 - 0.55, 6);
    expect(parseOptions(["--seconds", "2"]).milliseconds).toBe(2000);
    expect(() => parseOptions(["--seconds", "0"])).toThrow('Invalid value "0" for --seconds: expected a number above 0.');
    expect(() => parseOptions(["--minutes", "abc"])).toThrow('Invalid value "abc" for --minutes: expected a number above 0.');
    expect(() => parseOptions(["--connections", "x"])).toThrow('Invalid value "x" for --connections');
  });
});
