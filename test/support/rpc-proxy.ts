import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A JSON-RPC reply that a test may change before it goes out. */
export interface ProxiedReply {
  id: unknown;
  jsonrpc: string;
  result?: unknown;
  error?: { code: number; message: string };
}

export interface RpcProxy {
  readonly url: string;
  /** How often each method was called. */
  readonly counts: Map<string, number>;
  /** Changes replies; set by a test while it runs. */
  tamper: ((method: string, reply: ProxiedReply, params: readonly unknown[]) => void) | null;
  /** Answers a whole HTTP request in its own way; true when it did. */
  intercept: ((body: string, response: ServerResponse) => boolean) | null;
  /** Changes the text of a whole reply. */
  rewrite: ((text: string) => string) | null;
  /** Milliseconds that a reply is held back. */
  delay: (() => number) | null;
  close(): Promise<void>;
}

interface Message {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Stands between the indexer and a node: counts calls, and lies where a test tells it to (a real node does not lie on demand). */
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
  const forward = async (body: string): Promise<string> => {
    const sent = JSON.parse(body) as Message | Message[];
    const messages = Array.isArray(sent) ? sent : [sent];
    for (const { method } of messages) proxy.counts.set(method, (proxy.counts.get(method) ?? 0) + 1);
    const reply = await fetch(target, { method: "POST", headers: { "content-type": "application/json" }, body });
    const text = await reply.text();
    if (proxy.tamper === null) return text;
    const parsed = JSON.parse(text) as ProxiedReply | ProxiedReply[];
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
      }),
  };
  return proxy;
};
