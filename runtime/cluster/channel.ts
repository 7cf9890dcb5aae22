import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";

/** The other process has exited or closed the channel, so a call has no result. */
export class DisconnectedError extends Error {
  override readonly name = "DisconnectedError";

  constructor() {
    super("The other process has exited.");
  }
}

/** Functions that a process offers: each takes one argument and returns plain data; some also receive a connection. */
export type Functions = { readonly [name: string]: (argument: never, socket?: Socket) => unknown };
type ArgumentOf<F> = F extends (argument: infer A, ...more: never[]) => unknown ? A : never;
type ResultOf<F> = F extends (...all: never[]) => infer R ? Awaited<R> : never;

/** A channel to another process, which offers the functions `Remote`. */
export interface Channel<Remote> {
  /**
   * Calls a function and returns its result. Calls made in one event loop iteration are sent as one message.
   * @throws {Error} with the function's error message
   */
  call<Name extends keyof Remote & string>(name: Name, argument: ArgumentOf<Remote[Name]>): Promise<ResultOf<Remote[Name]>>;
  /**
   * Calls a function immediately, after earlier calls, ignoring its result; has no effect if the other process has exited. A passed connection also
   * remains open in this process, because the other process may exit before it receives the connection.
   */
  post<Name extends keyof Remote & string>(name: Name, argument: ArgumentOf<Remote[Name]>, socket?: Socket): void;
}

/** A message contains batches of calls and results, or one call that returns no result. */
interface Message {
  readonly calls?: readonly Call[];
  readonly results?: readonly Result[];
  readonly post?: readonly [name: string, argument: unknown];
}
type Call = readonly [id: number, name: string, argument: unknown];
type Result = readonly [id: number, value: unknown, error: string | null];

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const ignore = (): void => undefined;
const keepOpen = { keepOpen: true };

/** Creates the channel to a child process, or from a child process to its parent, and offers functions to the other process. */
export function createChannel<Remote>(peer: ChildProcess | NodeJS.Process, offered: Functions): Channel<Remote> {
  const pending = new Map<number, Pending>();
  let calls: Call[] = [];
  let results: Result[] = [];
  let lastId = 0;
  let isScheduled = false;

  const send = (message: Message, socket?: Socket): void => {
    if (peer.connected === true) peer.send?.(message, socket, keepOpen, ignore);
  };
  const flush = (): void => {
    if (calls.length + results.length === 0) return;
    const message = { calls, results };
    [calls, results] = [[], []];
    send(message);
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      flush();
    });
  };
  const invoke = async (name: string, argument: unknown, socket?: Socket): Promise<unknown> => {
    const work = offered[name];
    if (work === undefined) throw new Error(`Unknown function ${name}.`);
    return work(argument as never, socket);
  };
  const respond = async ([id, name, argument]: Call): Promise<void> => {
    const result: Result = await invoke(name, argument).then(
      (value) => [id, value, null] as const,
      (error: unknown) => [id, null, error instanceof Error ? error.message : String(error)] as const,
    );
    results.push(result);
    schedule();
  };
  const settle = ([id, value, error]: Result): void => {
    const call = pending.get(id);
    pending.delete(id);
    if (error === null) call?.resolve(value);
    else call?.reject(new Error(error));
  };

  peer.on("message", (message, socket) => {
    const { calls: receivedCalls = [], results: receivedResults = [], post } = message as Message;
    for (const call of receivedCalls) void respond(call);
    for (const result of receivedResults) settle(result);
    // A function that returns no result handles its own errors.
    if (post !== undefined) invoke(post[0], post[1], socket as Socket | undefined).catch(ignore);
  });
  const rejectAll = (): void => {
    for (const { reject } of pending.values()) reject(new DisconnectedError());
    pending.clear();
  };
  peer.once("disconnect", rejectAll);
  // `disconnect` is not emitted if a child process exits before it receives a passed connection.
  peer.once("exit", rejectAll);

  return {
    call: (name, argument) =>
      new Promise((resolve, reject) => {
        if (peer.connected !== true) return reject(new DisconnectedError());
        lastId += 1;
        pending.set(lastId, { resolve: (value) => resolve(value as never), reject });
        calls.push([lastId, name, argument]);
        schedule();
      }),
    post(name, argument, socket) {
      flush();
      send({ post: [name, argument] }, socket);
    },
  };
}
