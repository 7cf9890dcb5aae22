import { WebSocket } from "undici";
import { asObject, hash, quantity } from "./quantities.ts";
import type { Head } from "./types.ts";

export interface SubscriptionOptions {
  /** ws:// or wss://; may contain a secret, and is never shown. */
  readonly url: URL;
  readonly onHead: (head: Head) => void;
  /** Called once when the subscription ends for any reason, but not after it was closed. */
  readonly onEnd: (reason: string) => void;
  readonly onLive?: (chainId: number) => void;
  readonly timeoutMilliseconds?: number;
}

const ids = { chainId: 1, subscribe: 2 } as const;

/** Subscribes to the heads of a node (eth_subscribe newHeads), and returns the function that closes the subscription. */
export const subscribeToHeads = (options: SubscriptionOptions): (() => void) => {
  const { url, onHead, onEnd, onLive, timeoutMilliseconds = 5_000 } = options;
  const socket = open(url);
  let ended = false;
  let chainId: number | null = null;
  let subscription: string | null = null;
  const end = (): boolean => {
    if (ended) return false;
    ended = true;
    clearTimeout(opening);
    socket.close();
    return true;
  };
  const fail = (reason: string): void => {
    if (end()) onEnd(reason);
  };
  const opening = setTimeout(() => fail(`no subscription within ${timeoutMilliseconds} ms`), timeoutMilliseconds);
  const send = (id: number, method: string, params: readonly unknown[]) =>
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));

  const take = (message: Message): void => {
    if (message.error !== undefined) {
      fail("the node refused the subscription");
      return;
    }
    if (message.id === ids.chainId) chainId = quantity({ chainId: message.result }, "chainId");
    if (message.id === ids.subscribe) subscription = String(message.result);
    if (message.id !== undefined) {
      if (chainId === null || subscription === null) return;
      clearTimeout(opening);
      onLive?.(chainId);
      return;
    }
    if (message.method !== "eth_subscription" || message.params?.subscription !== subscription) return;
    const raw = asObject(message.params?.result, "head");
    onHead({ number: quantity(raw, "number"), hash: hash(raw, "hash"), timestamp: quantity(raw, "timestamp") });
  };

  socket.addEventListener("open", () => {
    send(ids.chainId, "eth_chainId", []);
    send(ids.subscribe, "eth_subscribe", ["newHeads"]);
  });
  socket.addEventListener("message", (event) => {
    if (ended) return;
    try {
      take(JSON.parse(String(event.data)) as Message);
    } catch {
      fail("a message is not JSON-RPC");
    }
  });
  socket.addEventListener("error", () => fail("the connection broke"));
  socket.addEventListener("close", () => fail("the node closed the connection"));
  return () => {
    end();
  };
};

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown };
}

/** Credentials in the URL are sent as a header, as over HTTP. */
const open = (url: URL): WebSocket => {
  const bare = new URL(url.href);
  bare.username = "";
  bare.password = "";
  if (url.username === "") return new WebSocket(bare);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return new WebSocket(bare, { headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } });
};

/** The URL of a node's WebSocket: as configured, else that of its HTTP endpoint, which many nodes share. */
export const webSocketUrl = (rpc: string, configured?: string): URL => {
  const url = new URL(configured ?? rpc);
  if (url.protocol === "http:" || url.protocol === "https:") url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
};

/** Whether a node accepts a subscription to heads. */
export const probeSubscription = (url: URL, timeoutMilliseconds = 3_000): Promise<boolean> =>
  new Promise((resolve) => {
    const finish = (offered: boolean) => {
      close();
      resolve(offered);
    };
    const close = subscribeToHeads({
      url,
      timeoutMilliseconds,
      onHead: () => undefined,
      onLive: () => finish(true),
      onEnd: () => resolve(false),
    });
  });
