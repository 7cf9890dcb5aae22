import { Agent, get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

/** Key limits that no load can reach. */
export const unlimited = {
  requestsPerSecond: "unlimited",
  concurrentRequests: "unlimited",
  databaseSecondsPerMinute: "unlimited",
  bytesInFlight: "unlimited",
};

/** A response from the server, or the error if there was no response. The times are `performance.now()` at the request and at the outcome. */
export type Outcome = { readonly startedAt: number; readonly endedAt: number } & (
  | { readonly status: number; readonly body: string }
  | { readonly error: string }
);

export const isResponse = (outcome: Outcome): outcome is Extract<Outcome, { status: number }> => "status" in outcome;

/** Sends one request. A response that ends early is an error. */
export const request = (
  url: string,
  key: string,
  agent: Agent | false = false,
  onConnect: () => void = () => undefined,
): Promise<Outcome> =>
  new Promise((resolve) => {
    const startedAt = performance.now();
    const fail = (error: Error): void => resolve({ error: error.message, startedAt, endedAt: performance.now() });
    const sent = get(url, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (body += part));
      response.on("error", fail);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, startedAt, endedAt: performance.now() }));
    });
    sent.on("error", fail);
    if (agent === false) sent.once("socket", (socket) => socket.once("connect", onConnect));
  });

/** Clients that send requests sequentially, each on its own persistent connection. */
export interface Load {
  /** The outcomes so far. */
  readonly outcomes: readonly Outcome[];
  stop(): Promise<void>;
}

/** Starts clients that request a URL until they are stopped, with a pause between a response and the next request. */
export function startLoad(url: string, key: string, clientCount: number, pauseMilliseconds = 0): Load {
  const outcomes: Outcome[] = [];
  let isRunning = true;
  const agents = Array.from({ length: clientCount }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  const running = agents.map(async (agent) => {
    while (isRunning) {
      outcomes.push(await request(url, key, agent));
      if (pauseMilliseconds > 0) await wait(pauseMilliseconds);
    }
    agent.destroy();
  });
  return {
    outcomes,
    async stop() {
      isRunning = false;
      await Promise.all(running);
    },
  };
}
