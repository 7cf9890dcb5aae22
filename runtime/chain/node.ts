import type { Address } from "../lib/hex.ts";
import { type Capabilities, probeCapabilities } from "./capabilities.ts";
import { createHeadFeed, type HeadFeed } from "./heads.ts";
import type { Rpc } from "./rpc.ts";
import { createSource, type Source } from "./source.ts";
import { webSocketUrl } from "./subscription.ts";

export interface NodeOptions {
  readonly rpc: Rpc;
  /** The node's HTTP address; may hold a secret. */
  readonly url: string;
  /** Where its websocket is, when it is not at the same address. */
  readonly webSocket?: string | undefined;
  readonly chainId: number;
  /** The first block to index. */
  readonly from: number;
  /** Whether value moved by inner calls is wanted, where the node can tell it. */
  readonly tracing: boolean;
  /** Accounts that the network pays or charges without naming them in the block. */
  readonly systemAccounts?: readonly Address[];
  readonly onBadReply?: (reason: string) => void;
  readonly onHeads?: (message: string) => void;
}

/** A node that was examined: what it offers, its checked blocks, and its heads as it tells them by itself where it does. */
export interface Node {
  readonly capabilities: Capabilities;
  readonly source: Source;
  readonly heads: HeadFeed | null;
}

/** Examines a node and makes its source; `heads` is to be closed after use. @throws {TransportError} when it cannot be reached. */
export const examineNode = async (options: NodeOptions): Promise<Node> => {
  const { rpc, chainId, from, tracing, systemAccounts = [], onBadReply, onHeads } = options;
  const url = webSocketUrl(options.url, options.webSocket);
  const capabilities = await probeCapabilities(rpc, from, { webSocketUrl: url });
  const source = createSource(rpc, capabilities, { tracing, systemAccounts, chainId, ...(onBadReply === undefined ? {} : { onBadReply }) });
  const heads =
    capabilities.webSocket === true ? createHeadFeed({ url, chainId, ...(onHeads === undefined ? {} : { onChange: onHeads }) }) : null;
  return { capabilities, source, heads };
};
