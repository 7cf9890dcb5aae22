import { createLineLogger, createLogDestination, type LogDestination, type Logger, type LoggerOptions } from "../../logger.ts";

/** The log of a multi-process service. */
export interface ServiceLog {
  /** This process's logger. */
  readonly logger: Logger;
  /** Writes a line that a child process has written to its standard error: a log line, or the text of a crash. */
  readonly write: (name: string, line: string) => void;
}

/** Creates this process's log, which also contains its child processes' lines. */
export function createServiceLog(options: LoggerOptions): ServiceLog {
  const lines: LogDestination = createLogDestination(options);
  const logger = createLineLogger(options.logLevel, lines);
  return {
    logger,
    write(name, line) {
      if (isJson(line)) lines.write(`${line}\n`);
      else logger.error({ process: name }, line);
    },
  };
}

function isJson(line: string): boolean {
  if (!line.startsWith("{")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
