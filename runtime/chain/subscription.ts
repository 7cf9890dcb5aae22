import { WebSocket } from "undici";
import { asObject, readHash, readQuantity } from "./quantities.ts";
import { redact } from "./redact.ts";
import type { Head } from "./types.ts";

export interface SubscriptionOptions {
  /** ws:// or wss://; may contain a secret, so it is never shown. */
  readonly url: URL;
  readonly onHead: (head: Head) => void;
  /** Called once if the subscription ends for any reason other than being closed by the caller. */
  readonly onEnd: (reason: string) => void;
  readonly onLive?: (chainId: number) => void;
  readonly timeoutMilliseconds?: number;
}

const ids = { chainId: 1, subscribe: 2 } as const;

/** Subscribes to a node's heads (eth_subscribe newHeads), and returns a function that closes the subscription. */
export const subscribeToHeads = (options: SubscriptionOptions): (() => void) => {
  const { url, onHead, onEnd, onLive, timeoutMilliseconds = 5_000 } = options;
  const socket = openSocket(url);
  let hasEnded = false;
  let chainId: number | null = null;
  let subscription: string | null = null;
  const end = (): boolean => {
    if (hasEnded) return false;
    hasEnded = true;
    clearTimeout(deadline);
    socket.close();
    return true;
  };
  const fail = (reason: string): void => {
    if (end()) onEnd(reason);
  };
  const deadline = setTimeout(() => fail(`no subscription within ${timeoutMilliseconds} ms`), timeoutMilliseconds);
  const send = (id: number, method: string, params: readonly unknown[]) =>
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));

  const handleMessage = (message: Message): void => {
    if (message.error !== undefined) {
      fail(`the node rejected the subscription: ${reasonIn(message.error, url)}`);
      return;
    }
    if (message.id === ids.chainId) chainId = readQuantity({ chainId: message.result }, "chainId");
    if (message.id === ids.subscribe) subscription = String(message.result);
    if (message.id !== undefined) {
      if (chainId === null || subscription === null) return;
      clearTimeout(deadline);
      onLive?.(chainId);
      return;
    }
    if (message.method !== "eth_subscription" || message.params?.subscription !== subscription) return;
    const raw = asObject(message.params?.result, "head");
    onHead({ number: readQuantity(raw, "number"), hash: readHash(raw, "hash"), timestamp: readQuantity(raw, "timestamp") });
  };

  socket.addEventListener("open", () => {
    send(ids.chainId, "eth_chainId", []);
    send(ids.subscribe, "eth_subscribe", ["newHeads"]);
  });
  socket.addEventListener("message", (event) => {
    if (hasEnded) return;
    try {
      handleMessage(JSON.parse(String(event.data)) as Message);
    } catch {
      fail("the node sent an invalid message");
    }
  });
  socket.addEventListener("error", () => fail("connection error"));
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

/** The message of a JSON-RPC error, safe to show. */
const reasonIn = (error: unknown, url: URL): string => {
  const message = typeof error === "object" && error !== null ? (error as { message?: unknown }).message : undefined;
  return typeof message === "string" ? redact(message, url) : "no message";
};

/** Opens a WebSocket. Credentials in the URL are sent in a header, as they are over HTTP. */
const openSocket = (url: URL): WebSocket => {
  const bare = new URL(url.href);
  bare.username = "";
  bare.password = "";
  if (url.username === "") return new WebSocket(bare);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return new WebSocket(bare, { headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` } });
};

/** A node's WebSocket URL: the configured one, or its RPC URL with a WebSocket scheme, because many nodes serve both on one port. */
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
