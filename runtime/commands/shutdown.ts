import process from "node:process";
import { redactMessage } from "../http/redact.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { onStopRequest } from "./stop-requests.ts";

/** How a command that runs until it is stopped ends. */
export interface Shutdown {
  /** Aborted when the process was asked to stop, or cannot go on. */
  readonly signal: AbortSignal;
  /** Stops the command because of an error, which `run` throws in the end. */
  fail(error: Error): void;
  /** Waits until a part of the process has ended, for a bounded time, and says what it waits for unless that takes a moment only. */
  waitFor(what: string, work: Promise<unknown>, milliseconds: number): Promise<void>;
}

const momentMilliseconds = 50;
/** More than the bounds of all parts together: reached only where something waits that nobody thought of. */
const lastResortMilliseconds = 90_000;

/**
 * Runs a command until it is asked to stop (SIGTERM, SIGINT, SIGHUP, or the end of `npm start`), and has it end in bounded time.
 * @throws what the command throws before it is asked to stop, or the error that it failed with.
 */
export async function runUntilStopped(say: (line: string) => void, run: (shutdown: Shutdown) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  let failure: Error | undefined;
  let stoppedAt: number | null = null;
  let isIncomplete = false;

  /** Also a command that fails ends its parts; then its error says enough. */
  const note = (line: string): void => {
    if (stoppedAt !== null) say(line);
  };
  const begin = (cause: string): void => {
    if (stoppedAt !== null) return;
    stoppedAt = performance.now();
    say(`Stopping (${cause}).`);
    setTimeout(() => {
      say(`Stopping: not done after ${lastResortMilliseconds / 1000} s; the process ends now.`);
      process.exit(1);
    }, lastResortMilliseconds).unref();
    stop.abort(new Error(`the process stops (${cause})`));
  };
  onStopRequest(begin);
  // Nobody reads what is written to a closed terminal or pipe; that is no reason to end.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

  const shutdown: Shutdown = {
    signal: stop.signal,
    fail: (error) => {
      failure ??= error;
      begin("because of an error");
    },
    waitFor: async (what, work, milliseconds) => {
      const settled = work.then(
        () => undefined,
        (error: unknown) => note(`Stopping: ${what} failed: ${messageOf(error)}`),
      );
      if (await isDoneWithin(settled, momentMilliseconds)) return;
      note(`Stopping: waiting for ${what}, ${milliseconds / 1000} s at most.`);
      if (await isDoneWithin(settled, milliseconds)) return;
      isIncomplete = true;
      note(`Stopping: gave up waiting for ${what} after ${milliseconds / 1000} s.`);
    },
  };
  try {
    await run(shutdown);
  } catch (error) {
    // What is interrupted by a stop fails with the reason of the signal.
    if (stoppedAt === null) throw error;
    if (failure === undefined && error !== stop.signal.reason) note(`Stopping: ${messageOf(error)}`);
  }
  if (stoppedAt !== null) say(`Stopped after ${((performance.now() - stoppedAt) / 1000).toFixed(1)} s.`);
  // What was given up may hold the process open; its error is printed first.
  if (isIncomplete) setTimeout(() => process.exit(1), momentMilliseconds);
  if (failure !== undefined) throw failure;
}

/** Text of an error may come from a node or a database. */
const messageOf = (error: unknown): string => escapeTerminal(redactMessage(error instanceof Error ? error.message : String(error)));

/** Resolves when the signal is aborted. */
export const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Whether work ends within a time; its timer keeps no process alive. */
export async function isDoneWithin(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const done = work.then(
    () => true,
    () => true,
  );
  return Promise.race([done, bound]).finally(() => clearTimeout(timer));
}
