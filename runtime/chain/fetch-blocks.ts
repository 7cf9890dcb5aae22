import type { Address } from "../lib/hex.ts";
import { type BalanceReader, withBalances } from "./account-balances.ts";
import { createBloom } from "./bloom.ts";
import { createCachedFields } from "./cached-fields.ts";
import type { Capabilities } from "./capabilities.ts";
import type { DecodedReply } from "./decode-block.ts";
import { fetchReplies } from "./fetch-replies.ts";
import { withTraces } from "./fetch-traces.ts";
import { isNodeFailure, type ReplyRetryOptions, untilConsistent } from "./retry-replies.ts";
import type { Rpc } from "./rpc.ts";
import type { ChainBlock, NativeAccounting } from "./types.ts";
import { type Checks, verifyBlock, verifyChain } from "./verify.ts";

/** Which block parts to fetch in addition to transactions, receipts and logs. */
export interface BlockDetail {
  readonly accounting: NativeAccounting;
  /** Accounts whose balances are fetched with every block, even if it did not touch them. */
  readonly extraAccounts?: readonly Address[];
}

/** How blocks are fetched and checked. */
export interface BlockFetchOptions extends ReplyRetryOptions {
  /** Whether to trace value transferred by internal calls, if the node can. */
  readonly tracing: boolean;
  /** Accounts that the network credits or debits although the block does not mention them. */
  readonly systemAccounts?: readonly Address[];
  /** Transactions with a different chain id (EIP-155) are rejected. */
  readonly chainId?: number;
  readonly checks?: Partial<Checks>;
}

/** Fetches and checks blocks from..to inclusive. @throws {BadReplyError} if the node keeps returning inconsistent blocks. */
export type FetchBlocks = (from: number, to: number, detail?: BlockDetail) => Promise<ChainBlock[]>;

/** Creates the function that fetches a source's blocks. */
export const createFetchBlocks = (rpc: Rpc, capabilities: Capabilities, reader: BalanceReader, options: BlockFetchOptions): FetchBlocks => {
  const tracing = options.tracing && capabilities.traces !== null;
  const checks: Checks = { bloom: true, gasUsed: true, ...options.checks };
  const bloom = createBloom();
  const fields = createCachedFields();

  /** If balances come from the state, traces are only used to list transfers: if the node lacks old traces, blocks are indexed without them. */
  const wantsTraces = (accounting: NativeAccounting | undefined): boolean =>
    tracing && (accounting === undefined || accounting === "traces" || (accounting === "state" && capabilities.oldTraces));

  /**
   * If balances come from the state, traces are optional, because some networks return inconsistent traces for system transactions. A block whose
   * traces the node cannot return, or returns invalid, is indexed without them; balances that its internal calls changed are found when the accounts are
   * touched again.
   */
  const withTracesIfValid = (replies: readonly DecodedReply[]): Promise<ChainBlock[]> =>
    withTraces(rpc, replies, capabilities.traces).catch((error: unknown) => {
      if (!isNodeFailure(error)) throw error;
      return Promise.all(
        replies.map((reply) =>
          untilConsistent(() => withTraces(rpc, [reply], capabilities.traces), options).catch((error: unknown) =>
            untracedIfNodeFails(error, reply.block),
          ),
        ),
      ).then((groups) => groups.flat());
    });

  const fetchOnce = async (from: number, to: number, detail: BlockDetail | undefined): Promise<ChainBlock[]> => {
    const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
    const replies = await fetchReplies(rpc, heights, capabilities.blockReceipts, fields);
    for (const [position, reply] of replies.entries()) verifyBlock(reply, from + position, bloom, checks, options.chainId);
    const blocks = replies.map(({ block }) => block);
    verifyChain(blocks);
    if (detail?.accounting !== "state") return wantsTraces(detail?.accounting) ? withTraces(rpc, replies, capabilities.traces) : blocks;
    const traced = wantsTraces("state") ? await withTracesIfValid(replies) : blocks;
    return withBalances(reader, traced, [...(options.systemAccounts ?? []), ...(detail.extraAccounts ?? [])]);
  };

  return (from, to, detail) => untilConsistent(() => fetchOnce(from, to, detail), options);
};

const untracedIfNodeFails = (error: unknown, block: ChainBlock): ChainBlock[] => {
  if (!isNodeFailure(error)) throw error;
  return [block];
};
