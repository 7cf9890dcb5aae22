import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { until } from "../../support/until.ts";

/** A load balancer that does not retry: if a server does not respond to a request, the client sees a failure. */
export interface LoadBalancer {
  readonly url: string;
  /** Replaces a server, and waits until the replaced one has responded to its last request. */
  replace(replaced: string, replacement: string): Promise<void>;
  close(): Promise<void>;
}

interface Upstream {
  readonly url: string;
  readonly agent: Agent;
  activeRequests: number;
}

const upstreamOf = (url: string): Upstream => ({ url, agent: new Agent({ keepAlive: true }), activeRequests: 0 });

function forward(upstream: Upstream, incoming: IncomingMessage, outgoing: ServerResponse): void {
  upstream.activeRequests += 1;
  outgoing.once("close", () => {
    upstream.activeRequests -= 1;
  });
  const { method, headers, url } = incoming;
  const sent = request(upstream.url + url, { agent: upstream.agent, method, headers }, (response) => {
    outgoing.writeHead(response.statusCode ?? 0, response.rawHeaders);
    response.once("error", () => outgoing.destroy());
    response.pipe(outgoing);
  });
  sent.once("error", ({ message }) => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end(message);
  });
  incoming.pipe(sent);
}

/** Starts a load balancer that sends requests to the servers in turn. */
export async function startLoadBalancer(urls: readonly string[]): Promise<LoadBalancer> {
  const upstreams = urls.map(upstreamOf);
  let next = 0;
  const server = createServer((incoming, outgoing) => {
    next = (next + 1) % upstreams.length;
    forward(upstreams[next] as Upstream, incoming, outgoing);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async replace(replaced, replacement) {
      const index = upstreams.findIndex(({ url }) => url === replaced);
      const [drained] = upstreams.splice(index, 1, upstreamOf(replacement));
      if (index < 0 || drained === undefined) throw new Error(`Unknown server ${replaced}.`);
      await until(`the last response from ${replaced}`, () => drained.activeRequests === 0, 30_000);
      drained.agent.destroy();
    },
    async close() {
      for (const { agent } of upstreams) agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
