import type { Address } from "../lib/hex.ts";
import { type Capabilities, probeCapabilities } from "./capabilities.ts";
import { createHeadFeed, type HeadFeed } from "./heads.ts";
import type { Rpc } from "./rpc.ts";
import { createSource, type Source } from "./source.ts";
import { webSocketUrl } from "./subscription.ts";

export interface NodeOptions {
  readonly rpc: Rpc;
  /** The node's HTTP URL; may contain a secret. */
  readonly url: string;
  /** The URL of its WebSocket, where it differs from the HTTP one. */
  readonly webSocket?: string | undefined;
  readonly chainId: number;
  /** The first block to index. */
  readonly from: number;
  /** Whether to trace value moved by inner calls, where the node can. */
  readonly tracing: boolean;
  /** Accounts that the network credits or debits without naming them in the block. */
  readonly systemAccounts?: readonly Address[];
  readonly onBadReply?: (reason: string) => void;
  readonly onHeads?: (message: string) => void;
}

/** A probed node: its capabilities, its checked blocks, and the heads that it announces, if it does. */
export interface Node {
  readonly capabilities: Capabilities;
  readonly source: Source;
  readonly heads: HeadFeed | null;
}

/** Probes a node and creates its source; `heads` must be closed after use. @throws {TransportError} where it cannot be reached. */
export const examineNode = async (options: NodeOptions): Promise<Node> => {
  const { rpc, chainId, from, tracing, systemAccounts = [], onBadReply, onHeads } = options;
  const url = webSocketUrl(options.url, options.webSocket);
  const capabilities = await probeCapabilities(rpc, from, { webSocketUrl: url });
  const source = createSource(rpc, capabilities, { tracing, systemAccounts, chainId, ...(onBadReply === undefined ? {} : { onBadReply }) });
  const heads =
    capabilities.webSocket === true ? createHeadFeed({ url, chainId, ...(onHeads === undefined ? {} : { onChange: onHeads }) }) : null;
  return { capabilities, source, heads };
};
