import { spawn } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BenchResult, median, rounded } from "./result.ts";
import { type Calibration, calibrateByCompiler } from "./support/calibration.ts";

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const runs = 5;
/** The maximum time on the reference machine, and the maximum peak memory. */
const targets = { milliseconds: 1500, megabytes: 400 };

/** Writes the peak memory of the process to file descriptor 3; resourceUsage reports kilobytes. */
const memoryHook = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; process.on("exit", () => writeSync(3, String(process.resourceUsage().maxRSS)));',
)}`;

interface Measurement {
  readonly milliseconds: number;
  readonly megabytes: number;
}

/** Measures the wall time and peak memory for generating all of the catalog's files into an empty folder, and for checking them there. */
export async function run(): Promise<BenchResult> {
  const root = await mkdtemp(join(tmpdir(), "ashlar-bench-"));
  try {
    await cp(join(repository, "spec"), join(root, "spec"), { recursive: true });
    const write = await repeat(async () => {
      await rm(join(root, "generated"), { recursive: true, force: true });
      return measure(["--root", root, "--no-stubs"]);
    });
    const check = await repeat(() => measure(["--root", root, "--check"]));
    return resultOf(write, check, calibrateByCompiler());
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function resultOf(write: Measurement, check: Measurement, calibration: Calibration): BenchResult {
  const target = Math.round(targets.milliseconds * calibration.factor);
  const rows = [
    { name: "generate", ...write },
    { name: "generate --check", ...check },
  ];
  return {
    table: rows.map(({ name, milliseconds, megabytes }) => ({
      command: name,
      "median ms": milliseconds,
      "target ms": target,
      "peak MB": megabytes,
      "target MB": targets.megabytes,
    })),
    figures: {
      calibrationMilliseconds: rounded(calibration.milliseconds, 1),
      generateMilliseconds: write.milliseconds,
      checkMilliseconds: check.milliseconds,
      peakMegabytes: Math.max(write.megabytes, check.megabytes),
    },
    missed: rows.flatMap(({ name, milliseconds, megabytes }) => [
      ...(milliseconds < target ? [] : [`${name} took ${milliseconds} ms; the target is less than ${target} ms.`]),
      ...(megabytes < targets.megabytes ? [] : [`${name} used ${megabytes} MB; the target is less than ${targets.megabytes} MB.`]),
    ]),
  };
}

/** Median time and peak memory of several runs. */
async function repeat(once: () => Promise<Measurement>): Promise<Measurement> {
  const measurements: Measurement[] = [];
  for (let index = 0; index < runs; index += 1) measurements.push(await once());
  return {
    milliseconds: median(measurements.map((measurement) => measurement.milliseconds)),
    megabytes: Math.max(...measurements.map((measurement) => measurement.megabytes)),
  };
}

function measure(args: readonly string[]): Promise<Measurement> {
  const started = performance.now();
  const child = spawn(process.execPath, ["--import", "tsx", "--import", memoryHook, "generator/cli.ts", ...args], {
    cwd: repository,
    stdio: ["ignore", "ignore", "inherit", "pipe"],
  });
  let memory = "";
  child.stdio[3]?.on("data", (chunk: Buffer) => {
    memory += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(`generator/cli.ts ${args.join(" ")} exited with code ${code}.`));
      resolve({ milliseconds: Math.round(performance.now() - started), megabytes: Math.round(Number(memory) / 1024) });
    });
  });
}
