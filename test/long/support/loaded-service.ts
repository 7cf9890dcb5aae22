import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { program } from "../../support/program.ts";
import type { TokenChain } from "../../support/token-chain.ts";
import { until } from "../../support/until.ts";

/** An `ashlar start` process. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  /** The last 100 kB of its output, without request log lines. */
  output(): string;
}

const maxOutput = 100_000;

/** Runs `ashlar start` with two workers in its configuration's folder, as a separate process group. */
export function startServiceIn(folder: string, variables: NodeJS.ProcessEnv = {}): ServiceProcess {
  const { DATABASE_URL: _, ...environment } = process.env;
  const child = spawn(process.execPath, [program, "start", "--workers", "2"], {
    cwd: folder,
    env: { ...environment, ...variables },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const collect = (part: Buffer): void => {
    const lines = part
      .toString()
      .split("\n")
      .filter((line) => !line.includes('"msg":"Request"'));
    output = `${output}${lines.join("\n")}`.slice(-maxOutput);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  return { child, exited: once(child, "exit"), output: () => output };
}

/** The outcomes of requests since the last count. */
export interface RequestCounts {
  readonly statuses: ReadonlyMap<number, number>;
  /** Requests with a closed or refused connection. */
  readonly failures: number;
  /** The longest time without a 200 response. */
  readonly silentMilliseconds: number;
}

/** Limits that allow one client to send all requests. */
export const loadedLimits = {
  requestsPerSecond: "unlimited",
  concurrentRequests: "unlimited",
  databaseSecondsPerMinute: "unlimited",
  bytesInFlight: "unlimited",
};

const requestIntervalMilliseconds = 20;
const latestPath = "/v1/own/block_v2/latest/";

/** A client for a service with a chain called `own`. */
export function createClient({ port, key, tokens }: { readonly port: number; readonly key: string; readonly tokens: TokenChain }) {
  const get = async (path: string): Promise<{ status: number; height: number | undefined }> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers, signal: AbortSignal.timeout(20_000) });
    const { data } = (await response.json()) as { data?: { items?: { height?: number }[] } | null };
    return { status: response.status, height: data?.items?.[0]?.height };
  };
  const isReady = async (): Promise<boolean> =>
    (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(5_000) }).catch(() => null))?.ok === true;
  return {
    isReady,
    /** Sends 50 requests per second until stopped. */
    startRequests() {
      const paths = [latestPath, `/v1/own/address/${tokens.trader}/balances_v2/`, `/v1/own/tokens/${tokens.token}/token_holders_v2/`];
      let statuses = new Map<number, number>();
      let failures = 0;
      let silentMilliseconds = 0;
      let respondedAt = performance.now();
      let isEnding = false;
      const updateSilence = (): void => {
        silentMilliseconds = Math.max(silentMilliseconds, performance.now() - respondedAt);
      };
      const sendOne = async (path: string): Promise<void> => {
        try {
          const { status } = await get(path);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          if (status !== 200) return;
          updateSilence();
          respondedAt = performance.now();
        } catch {
          failures += 1;
        }
      };
      const sending = (async () => {
        for (let sent = 0; !isEnding; sent += 1, await wait(requestIntervalMilliseconds)) void sendOne(paths[sent % paths.length] ?? "");
      })();
      return {
        /** The counts since the last call. */
        count(): RequestCounts {
          updateSilence();
          const counts = { statuses, failures, silentMilliseconds };
          [statuses, failures, silentMilliseconds] = [new Map(), 0, 0];
          return counts;
        },
        async stop(): Promise<void> {
          isEnding = true;
          await sending;
        },
      };
    },
    /** Adds a block, and returns the seconds until it is served and the service is ready. */
    async measureRecovery(withinMilliseconds = 60_000): Promise<number> {
      const from = performance.now();
      await tokens.grow(1);
      const height = await tokens.chain.head();
      const isServed = async (): Promise<boolean> => ((await get(latestPath).catch(() => null))?.height ?? -1) >= height;
      await until("the service to recover", async () => (await isReady()) && (await isServed()), withinMilliseconds);
      return (performance.now() - from) / 1_000;
    },
  };
}

/** Formats the counts by status, such as `400 × 200, 3 × 503`. */
export const renderStatuses = ({ statuses }: RequestCounts): string =>
  [...statuses]
    .sort(([left], [right]) => left - right)
    .map(([status, count]) => `${count} × ${status}`)
    .join(", ");
