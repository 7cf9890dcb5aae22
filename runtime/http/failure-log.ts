import type { Logger } from "pino";
import { redactMessage } from "./redact.ts";

const maxFrames = 8;

/** The function names in an error's stack trace, without file names. */
function functionsOf(stack: string | undefined): readonly string[] {
  const frames = stack?.match(/^ +at (?:async )?[^\s(]+ \(/gm) ?? [];
  return frames.slice(0, maxFrames).map((frame) => frame.replace(/^ +at (?:async )?| \($/g, ""));
}

/** Logs an unexpected failure: its reason, code and functions, without SQL, stack traces, file names and keys. */
export function logFailure(logger: Logger, requestId: string, status: number, error: unknown): void {
  const cause = error instanceof Error ? error : new Error(String(error));
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : undefined;
  logger.error(
    { requestId, status, error: cause.name, code, reason: redactMessage(cause.message), functions: functionsOf(cause.stack) },
    "Request failed",
  );
}
