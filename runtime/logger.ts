import process from "node:process";
import { type Logger, pino } from "pino";
import type { Config } from "./config/config.ts";

/** Structured logs on standard error, one JSON object a line; standard output is for people. */
export const createLogger = (level: Config["logLevel"]): Logger =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (label) => ({ level: label }) } },
    pino.destination({ fd: process.stderr.fd, sync: false }),
  );

export type { Logger };
