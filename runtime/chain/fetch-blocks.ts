import type { Address } from "../lib/hex.ts";
import { type BalanceReader, withBalances } from "./account-balances.ts";
import { createBloom } from "./bloom.ts";
import { createCachedFields } from "./cached-fields.ts";
import type { Capabilities } from "./capabilities.ts";
import type { BlockWithEvidence } from "./decode-block.ts";
import { fetchBlocksWithReceipts } from "./fetch-blocks-with-receipts.ts";
import { withTraces } from "./fetch-traces.ts";
import { isNodeFailure, type ResponseRetryOptions, retryUntilConsistent } from "./retry-responses.ts";
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
export interface BlockFetchOptions extends ResponseRetryOptions {
  /** Whether to trace value transferred by internal calls, if the node can. */
  readonly readsTraces: boolean;
  /** Accounts that the network credits or debits although the block does not mention them. */
  readonly systemAccounts?: readonly Address[];
  /** Transactions with a different chain id (EIP-155) are rejected. */
  readonly chainId?: number;
  readonly checks?: Partial<Checks>;
}

/** Fetches and checks blocks from..to inclusive. @throws {InvalidResponseError} if the node keeps returning inconsistent blocks. */
export type FetchBlocks = (from: number, to: number, detail?: BlockDetail) => Promise<ChainBlock[]>;

/** Creates the function that fetches a source's blocks. */
export const createFetchBlocks = (rpc: Rpc, capabilities: Capabilities, reader: BalanceReader, options: BlockFetchOptions): FetchBlocks => {
  const readsTraces = options.readsTraces && capabilities.traceKind !== null;
  const checks: Checks = { bloom: true, gasUsed: true, ...options.checks };
  const bloom = createBloom();
  const fields = createCachedFields();

  /** If balances come from the state, traces are only used to list transfers: if the node lacks old traces, blocks are indexed without them. */
  const wantsTraces = (accounting: NativeAccounting | undefined): boolean =>
    readsTraces && (accounting === undefined || accounting === "traces" || (accounting === "state" && capabilities.hasOldTraces));

  /**
   * If balances come from the state, traces are optional, because some networks return inconsistent traces for system transactions. A block whose
   * traces the node cannot return, or returns invalid, is indexed without them; balances that its internal calls changed are found when the accounts are
   * touched again.
   */
  const withTracesIfValid = (blocks: readonly BlockWithEvidence[]): Promise<ChainBlock[]> =>
    withTraces(rpc, blocks, capabilities.traceKind).catch((error: unknown) => {
      if (!isNodeFailure(error)) throw error;
      return Promise.all(
        blocks.map((block) =>
          retryUntilConsistent(() => withTraces(rpc, [block], capabilities.traceKind), options).catch((error: unknown) =>
            untracedIfNodeFails(error, block.block),
          ),
        ),
      ).then((groups) => groups.flat());
    });

  const fetchOnce = async (from: number, to: number, detail: BlockDetail | undefined): Promise<ChainBlock[]> => {
    const heights = Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
    const fetched = await fetchBlocksWithReceipts(rpc, heights, capabilities.hasBlockReceipts, fields);
    for (const [position, block] of fetched.entries()) verifyBlock(block, from + position, bloom, checks, options.chainId);
    const blocks = fetched.map(({ block }) => block);
    verifyChain(blocks);
    if (detail?.accounting !== "state") return wantsTraces(detail?.accounting) ? withTraces(rpc, fetched, capabilities.traceKind) : blocks;
    const traced = wantsTraces("state") ? await withTracesIfValid(fetched) : blocks;
    return withBalances(reader, traced, [...(options.systemAccounts ?? []), ...(detail.extraAccounts ?? [])]);
  };

  return (from, to, detail) => retryUntilConsistent(() => fetchOnce(from, to, detail), options);
};

const untracedIfNodeFails = (error: unknown, block: ChainBlock): ChainBlock[] => {
  if (!isNodeFailure(error)) throw error;
  return [block];
};
