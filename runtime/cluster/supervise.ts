import type { ChildProcess } from "node:child_process";
import { backoff, sleep } from "../lib/async.ts";
import { DisconnectedError } from "./channel.ts";
import { type Heartbeat, watchHeartbeat } from "./heartbeat.ts";

export interface SupervisedOptions {
  /** The process's name in log lines. */
  readonly name: string;
  /** Starts the process. */
  readonly fork: () => ChildProcess;
  /** Assigns a started process its work; resolves when it is ready, and rejects if it cannot do this work. */
  readonly initialize: (child: ChildProcess) => Promise<void>;
  /** How long `initialize` may take; one minute by default. */
  readonly maxInitializeSeconds?: number;
  /** Kills and restarts a ready process that does not respond; by default, this is not checked. */
  readonly heartbeat?: Heartbeat<ChildProcess>;
  /** Called when a process has exited. */
  readonly onExit?: (child: ChildProcess) => void;
  /** Whether an exit is a failure that a restart may repair; true by default. */
  readonly mayRestart?: () => boolean;
  readonly logger: { info(message: string): void; error(message: string): void };
}

/** A process that is restarted whenever it exits. */
export interface SupervisedProcess {
  /** Resolves when the process is ready for the first time. @throws {Error} if it fails before that. */
  readonly started: Promise<void>;
  /** Resolves when the process has exited and will not be restarted. */
  readonly ended: Promise<void>;
  /** Stops restarting the process, and requests that a running one exit. */
  stop(requestExit: (child: ChildProcess) => void): Promise<void>;
}

/** A process that was ready for this long has recovered: its next crash counts as the first. */
const stableMilliseconds = 10_000;
const defaultInitializeSeconds = 60;
/** The first restart is immediate; these are the waits before later ones. */
const waits = { base: 500, max: 30_000 };

/** Runs a process and restarts it when it exits: immediately, or with backoff if it exits repeatedly. */
export function superviseProcess(options: SupervisedOptions): SupervisedProcess {
  const { name, logger, mayRestart = () => true } = options;
  const stop = new AbortController();
  let current: ChildProcess | undefined;
  let settleStarted: (failure: Error | null) => void = () => undefined;
  const started = new Promise<void>((resolve, reject) => {
    settleStarted = (failure) => (failure === null ? resolve() : reject(failure));
  });
  started.catch(() => undefined);

  /** Runs the process once. Returns how long it was ready, and the reason for its exit. */
  const runOnce = async (): Promise<{ readonly readyMilliseconds: number; readonly failure: Error }> => {
    const child = options.fork();
    current = child;
    const exited = exitOf(child, name);
    const failure = await Promise.race([options.initialize(child).then(() => null, toError), exited, initializeTimeout(options)]);
    const readyAt = performance.now();
    if (failure === null) settleStarted(null);
    else child.kill("SIGKILL");
    const hung = failure === null ? await waitForExit(child, exited, options) : null;
    const exit = hung ?? (await exited);
    options.onExit?.(child);
    const reason = failure === null || failure instanceof DisconnectedError ? exit : failure;
    return { readyMilliseconds: failure === null ? performance.now() - readyAt : 0, failure: reason };
  };

  const run = async (): Promise<void> => {
    for (let crashes = 0; !stop.signal.aborted; ) {
      const { readyMilliseconds, failure } = await runOnce();
      // Has no effect if the process was ready before.
      settleStarted(failure);
      if (stop.signal.aborted || !mayRestart() || (await hasFailed(started))) return;
      crashes = readyMilliseconds > stableMilliseconds ? 1 : crashes + 1;
      const wait = crashes === 1 ? 0 : backoff(crashes - 1, waits);
      logger.error(`${failure.message} Restarting it ${wait === 0 ? "now" : `in ${wait / 1000} s`}.`);
      await sleep(wait, stop.signal);
    }
  };
  const ended = run();

  return {
    started,
    ended,
    async stop(requestExit) {
      stop.abort();
      if (current !== undefined && current.exitCode === null && current.signalCode === null) requestExit(current);
      await ended;
    },
  };
}

/** Resolves with an error if a process is not ready in time. */
const initializeTimeout = async ({ name, maxInitializeSeconds = defaultInitializeSeconds }: SupervisedOptions): Promise<Error> => {
  await sleep(maxInitializeSeconds * 1000, undefined, { ref: false });
  return new Error(`Process ${name} was not ready within ${maxInitializeSeconds} s.`);
};

/** Waits for a ready process to exit; kills it if it does not respond, and returns that error. */
async function waitForExit(child: ChildProcess, exited: Promise<Error>, { name, heartbeat }: SupervisedOptions): Promise<Error | null> {
  let hung: Error | null = null;
  const stopWatching =
    heartbeat === undefined
      ? () => undefined
      : watchHeartbeat(
          () => heartbeat.ping(child),
          heartbeat.maxSilentSeconds,
          () => {
            hung = new Error(`Process ${name} did not respond for ${heartbeat.maxSilentSeconds} s and was killed.`);
            child.kill("SIGKILL");
          },
        );
  await exited;
  stopWatching();
  return hung;
}

const toError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

const hasFailed = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => false,
    () => true,
  );

/** Resolves with a description of the process's exit. */
const exitOf = (child: ChildProcess, name: string): Promise<Error> =>
  new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(new Error(`Process ${name} exited unexpectedly (${signal ?? `exit code ${code}`}).`)));
    // Emitted instead of `exit` if the process cannot be started.
    child.once("error", (error) => {
      if (child.pid === undefined) resolve(new Error(`Process ${name} could not be started (${error.message}).`));
    });
  });
