import type { Config } from "../config/config.ts";
import type { Logger } from "../logger.ts";
import type { Tracing } from "../tracing/start-tracing.ts";

/** Starts tracing a process under its name in log lines; undefined if tracing is not configured. */
export async function openTracing({ tracing }: Pick<Config, "tracing">, process: string, logger: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  // A process without tracing does not load its modules.
  const { startTracing } = await import("../tracing/start-tracing.ts");
  return startTracing({ ...tracing, process, logger });
}
