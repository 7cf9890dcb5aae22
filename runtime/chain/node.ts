import type { Address } from "../lib/hex.ts";
import { type Capabilities, probeCapabilities } from "./capabilities.ts";
import { createHeadFeed, type HeadFeed } from "./head-feed.ts";
import type { Rpc } from "./rpc.ts";
import { createSource, type Source } from "./source.ts";
import { webSocketUrl } from "./subscription.ts";

export interface NodeOptions {
  readonly rpc: Rpc;
  /** The node's HTTP URL; may contain a secret. */
  readonly url: string;
  /** The node's WebSocket URL, if it differs from the HTTP one. */
  readonly webSocket?: string | undefined;
  readonly chainId: number;
  /** The first block to index. */
  readonly from: number;
  /** Whether to trace value transferred by internal calls, if the node can. */
  readonly readsTraces: boolean;
  /** Accounts that the network credits or debits although the block does not mention them. */
  readonly systemAccounts?: readonly Address[];
  readonly onInvalidResponse?: (reason: string) => void;
  readonly onHeadFeedChange?: (message: string) => void;
}

/** A probed node: its capabilities, its block source, and its head feed if it announces heads. */
export interface ProbedNode {
  readonly capabilities: Capabilities;
  readonly source: Source;
  readonly headFeed: HeadFeed | null;
}

/** Probes a node and creates its source; `headFeed` must be closed after use. @throws {TransportError} if it cannot be reached. */
export const probeNode = async (options: NodeOptions): Promise<ProbedNode> => {
  const { rpc, chainId, from, readsTraces, systemAccounts = [], onInvalidResponse, onHeadFeedChange } = options;
  const url = webSocketUrl(options.url, options.webSocket);
  const capabilities = await probeCapabilities(rpc, from, { webSocketUrl: url });
  const source = createSource(rpc, capabilities, {
    readsTraces,
    systemAccounts,
    chainId,
    ...(onInvalidResponse === undefined ? {} : { onInvalidResponse }),
  });
  const headFeed =
    capabilities.hasWebSocket === true
      ? createHeadFeed({ url, chainId, ...(onHeadFeedChange === undefined ? {} : { onChange: onHeadFeedChange }) })
      : null;
  return { capabilities, source, headFeed };
};
