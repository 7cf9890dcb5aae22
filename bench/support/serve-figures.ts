import { loadavg } from "node:os";
import { type BenchResult, median, rounded } from "../result.ts";
import type { Calibration } from "./calibration.ts";
import type { EndpointTimes, VariantTimes } from "./measure-endpoints.ts";
import type { JobTime } from "./run-jobs.ts";

export interface ServingResults {
  /** Heading of the first column. */
  readonly subject: string;
  readonly endpoints: readonly EndpointTimes[];
  /** Null if an earlier run executed the jobs. */
  readonly jobs: readonly JobTime[] | null;
  readonly rows: Readonly<Record<string, number>>;
  readonly calibration: Calibration;
  readonly megabytes: number;
}

/** Milliseconds on the reference machine. */
const referenceTarget = 20;

/** Table and figures of a served index. */
export function resultOfServing({ subject, endpoints, jobs, rows, megabytes, calibration }: ServingResults): BenchResult {
  const targetMilliseconds = rounded(referenceTarget * calibration.factor, 1);
  const [load = Number.NaN] = loadavg();
  const lines = endpoints.map(lineOf);
  return {
    table: [
      ...lines.map(({ name, all, worst, cpu }) => ({
        [subject]: name,
        "median ms": rounded(median(all), 1),
        "target ms": targetMilliseconds,
        "p95 ms": rounded(all[Math.min(all.length - 1, Math.floor(all.length * 0.95))] ?? Number.NaN, 1),
        "min ms": rounded(all[0] ?? Number.NaN, 1),
        "CPU ms": cpu === null ? "" : rounded(cpu, 1),
        "slowest request ms": rounded(median(worst.milliseconds), 1),
        "slowest request": worst.name,
        "slowest response kB": Math.round(worst.bytes / 1024),
        missed: median(all) >= targetMilliseconds ? "MISSED" : median(worst.milliseconds) >= targetMilliseconds ? "slowest request" : "",
      })),
      ...(jobs ?? []).map(({ name, milliseconds }) => ({ [subject]: `ms of job ${name}`, "median ms": Math.round(milliseconds) })),
      { [subject]: "megabytes on disk", "median ms": megabytes },
      ...Object.entries(rows).map(([table, count]) => ({ [subject]: `rows of ${table}`, "median ms": count })),
    ],
    figures: {
      load: rounded(load, 1),
      calibrationMilliseconds: rounded(calibration.milliseconds, 3),
      ...Object.fromEntries(lines.map(({ row, all }) => [`row${row}Milliseconds`, rounded(median(all), 1)])),
    },
    missed: lines.flatMap(({ name, all, worst }) => [
      ...(median(all) < targetMilliseconds
        ? []
        : [`${name} took ${rounded(median(all), 1)} ms; the target is less than ${targetMilliseconds} ms.`]),
      ...(median(all) < targetMilliseconds && median(worst.milliseconds) >= targetMilliseconds
        ? [`${name} took ${rounded(median(worst.milliseconds), 1)} ms for ${worst.name}; the target is less than ${targetMilliseconds} ms.`]
        : []),
    ]),
  };
}

function lineOf({ endpoint, variants }: EndpointTimes) {
  const all = variants.flatMap(({ milliseconds }) => milliseconds).sort((left, right) => left - right);
  const worst = variants.reduce((slowest: VariantTimes, variant) =>
    median(variant.milliseconds) > median(slowest.milliseconds) ? variant : slowest,
  );
  const cpuTimes = variants.flatMap(({ cpu }) => (cpu === null ? [] : [cpu]));
  const cpu = cpuTimes.length === 0 ? null : cpuTimes.reduce((sum, value) => sum + value, 0) / cpuTimes.length;
  return { row: endpoint.row, cpu, name: `${endpoint.row} ${endpoint.name}`, all, worst };
}

/** One row for each kind of request. */
export function variantTable(endpoints: readonly EndpointTimes[]): BenchResult["table"] {
  return endpoints.flatMap(({ endpoint, variants }) =>
    variants.map(({ name, milliseconds, cpu, bytes }) => ({
      request: `${endpoint.row} ${endpoint.name}: ${name}`,
      "median ms": rounded(median(milliseconds), 1),
      "min ms": rounded(milliseconds[0] ?? Number.NaN, 1),
      "CPU ms": cpu === null ? "" : rounded(cpu, 1),
      kilobytes: Math.round(bytes / 1024),
    })),
  );
}
