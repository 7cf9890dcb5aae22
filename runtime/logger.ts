import process from "node:process";
import { type Logger, pino } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Config } from "./config/config.ts";
import { escapeTerminal, escapeTerminalLines } from "./lib/terminal-text.ts";

/** Where logs go, line by line. */
export interface LogDestination {
  write(text: string): void;
}

export interface LoggerOptions extends Pick<Config, "logLevel" | "logFormat"> {
  /** Standard error unless given; standard output is for people. */
  readonly destination?: LogDestination | undefined;
}

/**
 * Logs as lines for people on a terminal and one JSON object a line elsewhere, unless `logFormat` says which. JSON escapes C0 alone: whatever else a terminal
 * acts on is escaped in the line, and a JSON parser reads it back.
 */
export function createLogger({ logLevel, logFormat, destination }: LoggerOptions): Logger {
  const isTerminal = process.stderr.isTTY === true;
  const lines = destination ?? standardError(isTerminal);
  const isPretty = logFormat === undefined ? isTerminal : logFormat === "pretty";
  const options = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: escapeTerminalLines },
  };
  return pino(options, isPretty ? prettyLines(lines, isTerminal && !process.env.NO_COLOR) : lines);
}

/** On a terminal written at once, in order with the lines of standard output. */
function standardError(sync: boolean): LogDestination {
  const stream = pino.destination({ fd: process.stderr.fd, sync });
  // A terminal that was closed.
  stream.on("error", () => undefined);
  return stream;
}

/** Formats in this thread: a worker's last lines would be lost when the process ends. */
function prettyLines(destination: LogDestination, colorize: boolean): LogDestination {
  const format = prettyFactory({
    colorize,
    colorizeObjects: false,
    singleLine: true,
    translateTime: "SYS:HH:MM:ss",
    ignore: "pid,hostname",
  });
  return { write: (line) => destination.write(format(escaped(JSON.parse(line)))) };
}

/** Parsing brings back what was escaped in the line. Only stack traces have lines of their own. */
function escaped(value: unknown, isStack = false): unknown {
  if (typeof value === "string") return isStack ? escapeTerminalLines(value) : escapeTerminal(value);
  if (Array.isArray(value)) return value.map((item) => escaped(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [escapeTerminal(key), escaped(item, key === "stack")]));
}

export type { Logger };
