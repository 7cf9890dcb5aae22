import { Agent, get, type IncomingMessage } from "node:http";

/** The attacked server, and the attacker's key. */
export interface Target {
  readonly port: number;
  readonly key: string;
}

/** A running attack. */
export interface Attack {
  readonly target: Target;
  isRunning(): boolean;
  /** Counts an outcome, such as a status. */
  count(outcome: string | number): void;
}

/** Runs an attack until it is stopped. */
export type Run = (attack: Attack) => Promise<unknown>;

/** Sends a request and reads the entire response. A failed connection is an outcome too. */
const send = (
  { target: { port, key }, count }: Attack,
  path: string,
  agent: Agent | false,
  headers: Readonly<Record<string, string>> = { authorization: `Bearer ${key}` },
  onResponse: (response: IncomingMessage) => void = (response) => response.resume(),
): Promise<void> =>
  new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path, agent, headers }, (response) => {
      count(response.statusCode ?? 0);
      onResponse(response);
      response.once("close", resolve);
    });
    request.once("error", (error: Error & { readonly code?: string }) => {
      count(error.code ?? error.message);
      resolve();
    });
  });

/** Sends requests sequentially over each of several connections; each request uses the next path. */
export async function flood(
  attack: Attack,
  connectionCount: number,
  pathOf: (number: number) => string,
  headers?: Readonly<Record<string, string>>,
): Promise<void> {
  let sent = 0;
  await Promise.all(
    Array.from({ length: connectionCount }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      while (attack.isRunning()) await send(attack, pathOf(sent++), agent, headers);
      agent.destroy();
    }),
  );
}
