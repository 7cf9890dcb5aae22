import type { Config } from "../config/config.ts";
import type { Logger } from "../logger.ts";
import type { Tracing } from "../tracing/start-tracing.ts";

/** Starts the traces of a process, by the name that its log lines have; undefined if they are not configured. */
export async function openTracing({ tracing }: Pick<Config, "tracing">, process: string, logger: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  // A process without traces does not load their modules.
  const { startTracing } = await import("../tracing/start-tracing.ts");
  return startTracing({ ...tracing, process, logger });
}
