import process from "node:process";
import { type Logger, pino } from "pino";
import type { Config } from "./config/config.ts";

/** Where logs go, line by line. */
export interface LogDestination {
  write(text: string): void;
}

/** Structured logs on standard error unless told otherwise, one JSON object a line; standard output is for people. */
export const createLogger = (level: Config["logLevel"], destination?: LogDestination): Logger =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    destination ?? pino.destination({ fd: process.stderr.fd, sync: false }),
  );

export type { Logger };
