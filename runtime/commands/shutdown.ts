import process from "node:process";
import { redactMessage } from "../http/redact.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { onStopRequest } from "./stop-requests.ts";

/** Controls the shutdown of a command that runs until it is stopped. */
export interface Shutdown {
  /** Aborts when the process is requested to stop, or a part of it has failed. */
  readonly signal: AbortSignal;
  /** Stops the command because of an error, which `runUntilStopped` then throws. */
  fail(error: Error): void;
  /** Waits for a part of the process to stop, for a limited time; prints its name if that takes noticeable time. */
  waitFor(part: string, work: Promise<unknown>, milliseconds: number): Promise<void>;
}

/** Shorter waits are not printed. */
const unnoticedMilliseconds = 50;
/** After this time, which exceeds the sum of all parts' time limits, the process exits even if a part is still running. */
const exitMilliseconds = 90_000;

/**
 * Runs a command until it is requested to stop (SIGTERM, SIGINT, SIGHUP, or the end of `npm start`), and then limits its shutdown time.
 * @throws {Error} if the command fails before the request to stop, or calls `fail`.
 */
export async function runUntilStopped(print: (line: string) => void, run: (shutdown: Shutdown) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  let failure: Error | undefined;
  let stoppedAt: number | null = null;
  let isIncomplete = false;

  /** Prints a line about the shutdown; nothing if the command failed before a request to stop, because its error is printed. */
  const note = (line: string): void => {
    if (stoppedAt !== null) print(line);
  };
  const beginStop = (cause: string): void => {
    if (stoppedAt !== null) return;
    stoppedAt = performance.now();
    print(`Stopping (${cause}).`);
    setTimeout(() => {
      print(`Shutdown did not complete within ${exitMilliseconds / 1000} s: exiting now.`);
      process.exit(1);
    }, exitMilliseconds).unref();
    stop.abort(new Error(`The process is stopping (${cause})`));
  };
  onStopRequest(beginStop);
  // Errors when writing to a closed terminal or pipe must not crash the process.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

  const shutdown: Shutdown = {
    signal: stop.signal,
    fail: (error) => {
      failure ??= error;
      beginStop("because of an error");
    },
    waitFor: async (part, work, milliseconds) => {
      const settled = work.then(
        () => undefined,
        (error: unknown) => note(`Stopping: ${part} failed: ${messageOf(error)}`),
      );
      if (await settlesWithin(settled, unnoticedMilliseconds)) return;
      note(`Stopping: waiting for ${part}, at most ${milliseconds / 1000} s.`);
      if (await settlesWithin(settled, milliseconds)) return;
      isIncomplete = true;
      note(`Stopping: gave up waiting for ${part} after ${milliseconds / 1000} s.`);
    },
  };
  try {
    await run(shutdown);
  } catch (error) {
    // Interrupted work fails with the signal's reason.
    if (stoppedAt === null) throw error;
    if (failure === undefined && error !== stop.signal.reason) note(`Stopping: ${messageOf(error)}`);
  }
  if (stoppedAt !== null) print(`Stopped after ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s.`);
  // Work that did not stop in time may keep the process alive, so it exits explicitly, after the error has been printed.
  if (isIncomplete) setTimeout(() => process.exit(1), unnoticedMilliseconds);
  if (failure !== undefined) throw failure;
}

/** The redacted and escaped error message, which may contain text from a node or a database. */
const messageOf = (error: unknown): string => escapeTerminal(redactMessage(error instanceof Error ? error.message : String(error)));

/** Resolves when the signal aborts. */
export const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Whether work completes within a time limit. */
export async function settlesWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  return Promise.race([done, deadline]).finally(() => clearTimeout(timer));
}
