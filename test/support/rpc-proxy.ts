import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";

/** A JSON-RPC response that a test may change before it is sent. */
export interface ProxiedResponse {
  id: unknown;
  jsonrpc: string;
  result?: unknown;
  error?: { code: number; message: string };
}

export interface RpcProxy {
  readonly url: string;
  /** The number of calls by method. */
  readonly counts: Map<string, number>;
  /** Changes the response to a call. */
  tamper: ((method: string, response: ProxiedResponse, params: readonly unknown[]) => void) | null;
  /** Handles an HTTP request instead of the node; returns whether it did. */
  intercept: ((body: string, response: ServerResponse) => boolean) | null;
  /** Changes the text of an HTTP response. */
  rewrite: ((text: string) => string) | null;
  /** Returns a response's delay in milliseconds. */
  delay: (() => number) | null;
  close(): Promise<void>;
}

interface Message {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Starts a proxy between the indexer and a node. It counts calls, and injects failures that a real node does not produce on demand. */
export const startRpcProxy = async (target: string): Promise<RpcProxy> => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      if (proxy.intercept?.(body, response) === true) return;
      forward(body).then(
        (text) => {
          const send = () => response.setHeader("content-type", "application/json").end(proxy.rewrite?.(text) ?? text);
          setTimeout(send, proxy.delay?.() ?? 0);
        },
        () => response.destroy(),
      );
    });
  });
  // undici's `request` uses half as much CPU time as `fetch`.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const forward = async (body: string): Promise<string> => {
    const sent = JSON.parse(body) as Message | Message[];
    const messages = Array.isArray(sent) ? sent : [sent];
    for (const { method } of messages) proxy.counts.set(method, (proxy.counts.get(method) ?? 0) + 1);
    const response = await request(target, { method: "POST", headers: { "content-type": "application/json" }, body, dispatcher });
    const text = await response.body.text();
    if (proxy.tamper === null) return text;
    const parsed = JSON.parse(text) as ProxiedResponse | ProxiedResponse[];
    for (const part of Array.isArray(parsed) ? parsed : [parsed]) {
      const message = messages.find(({ id }) => id === part.id);
      if (message !== undefined) proxy.tamper(message.method, part, message.params);
    }
    return JSON.stringify(parsed);
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts: new Map(),
    tamper: null,
    intercept: null,
    rewrite: null,
    delay: null,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
        void dispatcher.destroy();
      }),
  };
  return proxy;
};
