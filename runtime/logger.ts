import process from "node:process";
import { type Logger, pino } from "pino";
import { prettyFactory } from "pino-pretty";
import type { Config } from "./config/config.ts";
import { escapeTerminal, escapeTerminalLines } from "./lib/terminal-text.ts";

/** Where log lines go. */
export interface LogDestination {
  write(text: string): void;
}

export interface LoggerOptions extends Pick<Config, "logLevel" | "logFormat"> {
  /** Standard error by default; standard output is for messages to the user. */
  readonly destination?: LogDestination | undefined;
  /** The process name in its lines, if a service has several processes. */
  readonly process?: string | undefined;
}

/**
 * Creates the logger: by default it writes readable lines on a terminal, otherwise one JSON object per line. JSON only escapes C0 control characters;
 * other characters that a terminal interprets are escaped in the line, and a JSON parser restores them.
 */
export function createLogger({ logLevel, process: name, ...options }: LoggerOptions): Logger {
  return createLineLogger(logLevel, createLogDestination(options), name);
}

/**
 * Creates the destination of a logger's JSON lines. By default, it formats them if standard error is a terminal. It also accepts lines of other processes.
 */
export function createLogDestination({ logFormat, destination }: Pick<LoggerOptions, "logFormat" | "destination">): LogDestination {
  const isTerminal = process.stderr.isTTY === true;
  const lines = destination ?? standardError(isTerminal);
  const isPretty = logFormat === undefined ? isTerminal : logFormat === "pretty";
  return isPretty ? prettyLines(lines, isTerminal && !process.env.NO_COLOR) : lines;
}

/** Creates a logger that writes JSON lines to a destination; they include the process name, if any. */
export function createLineLogger(logLevel: Config["logLevel"], lines: LogDestination, name?: string): Logger {
  const options = {
    level: logLevel,
    base: name === undefined ? null : { process: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: escapeTerminalLines },
  };
  return pino(options, lines);
}

/** Lines are written together, because each write costs as much as a small response. The last lines are written when the process exits. */
const batch = { minLength: 8_192, periodicFlush: 100 };

/** Standard error, written synchronously on a terminal, so that its lines are in order with those of standard output. */
function standardError(sync: boolean): LogDestination {
  const stream = pino.destination({ fd: process.stderr.fd, sync, ...(sync ? {} : batch) });
  // Errors from writing to a closed terminal are ignored.
  stream.on("error", () => undefined);
  return stream;
}

/** Formats lines in this thread: the last lines of a worker thread would be lost when the process exits. */
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

/** Escapes the control characters that parsing has restored. Only stack traces may contain line breaks. */
function escaped(value: unknown, isStack = false): unknown {
  if (typeof value === "string") return isStack ? escapeTerminalLines(value) : escapeTerminal(value);
  if (Array.isArray(value)) return value.map((item) => escaped(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [escapeTerminal(key), escaped(item, key === "stack")]));
}

export type { Logger };
