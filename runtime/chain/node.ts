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
  readonly tracing: boolean;
  /** Accounts that the network credits or debits although the block does not mention them. */
  readonly systemAccounts?: readonly Address[];
  readonly onBadReply?: (reason: string) => void;
  readonly onHeads?: (message: string) => void;
}

/** A probed node: its capabilities, its block source, and its head feed if it announces heads. */
export interface Node {
  readonly capabilities: Capabilities;
  readonly source: Source;
  readonly heads: HeadFeed | null;
}

/** Probes a node and creates its source; `heads` must be closed after use. @throws {TransportError} if it cannot be reached. */
export const probeNode = async (options: NodeOptions): Promise<Node> => {
  const { rpc, chainId, from, tracing, systemAccounts = [], onBadReply, onHeads } = options;
  const url = webSocketUrl(options.url, options.webSocket);
  const capabilities = await probeCapabilities(rpc, from, { webSocketUrl: url });
  const source = createSource(rpc, capabilities, { tracing, systemAccounts, chainId, ...(onBadReply === undefined ? {} : { onBadReply }) });
  const heads =
    capabilities.webSocket === true ? createHeadFeed({ url, chainId, ...(onHeads === undefined ? {} : { onChange: onHeads }) }) : null;
  return { capabilities, source, heads };
};
