import type { BitcoinChain, MinedBlock } from "./chain.ts";
import { NumberText } from "./json.ts";
import { blockResponse, createAddressOf, type ResponseFormat, transactionResponse } from "./responses.ts";
import { RpcError, type RpcHandler } from "./rpc-server.ts";

/** A node's features; by default all except the transaction index. */
export interface NodeOptions extends Partial<Pick<ResponseFormat, "version" | "hasUndoData">> {
  /** The network that the node reports. */
  readonly chain?: string;
  readonly hasTransactionIndex?: boolean;
  /** The first block of a pruned node. */
  readonly firstBlock?: number;
  /** The name in the node's user agent. */
  readonly client?: string;
}

/** The Bitcoin Core version whose response format is the default. */
export const latestVersion = 280_000;

/** Creates a function that responds to the methods that the index calls. */
export function createRpcHandler(chainOf: () => BitcoinChain, options: NodeOptions = {}): RpcHandler {
  const { version = latestVersion, hasUndoData = true, chain: network = "regtest", client = "Satoshi" } = options;
  const { hasTransactionIndex = false, firstBlock = 0 } = options;
  const format: ResponseFormat = { version, hasUndoData, addressOf: createAddressOf() };
  const blockAt = (height: unknown): MinedBlock => {
    const block = typeof height === "number" ? chainOf().blocks[height] : undefined;
    if (block === undefined) throw new RpcError(-8, "Block height out of range");
    return block;
  };
  const head = (): MinedBlock => blockAt(chainOf().blocks.length - 1);
  const blockOf = (hash: unknown): MinedBlock => {
    const block = chainOf().blocks.find((candidate) => candidate.hash === hash);
    if (block === undefined) throw new RpcError(-5, "Block not found");
    if (block.height < firstBlock) throw new RpcError(-1, "Block not available (pruned data)");
    return block;
  };
  const transactionOf = (txid: unknown) => {
    const transactions = hasTransactionIndex ? chainOf().blocks.flatMap((block) => block.transactions) : [];
    const found = transactions.find((transaction) => transaction.getId() === txid);
    if (found === undefined)
      throw new RpcError(-5, "No such mempool or blockchain transaction. Use gettransaction for wallet transactions.");
    return found;
  };
  const results: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    getblockchaininfo: () => ({
      chain: network,
      blocks: head().height,
      headers: head().height,
      bestblockhash: head().hash,
      difficulty: new NumberText("4.656542373906925e-10"),
      pruned: firstBlock > 0,
      ...(firstBlock > 0 ? { pruneheight: firstBlock } : {}),
    }),
    getnetworkinfo: () => ({ version, subversion: `/${client}:${version / 10_000}.0.0/`, relayfee: new NumberText("0.00001000") }),
    getindexinfo: () => (hasTransactionIndex ? { txindex: { synced: true, best_block_height: head().height } } : {}),
    getbestblockhash: () => head().hash,
    getblockhash: ([height]) => blockAt(height).hash,
    getblockheader: ([hash]) => ({ hash, height: blockOf(hash).height, time: blockOf(hash).block.timestamp }),
    getblock: ([hash, verbosity]) => blockResponse(chainOf(), blockOf(hash), Number(verbosity), format),
    getrawtransaction: ([txid]) => transactionResponse(transactionOf(txid), 1, { ...format, hasUndoData: false }, () => []),
  };
  return (method, params) => {
    const result = Object.hasOwn(results, method) ? results[method] : undefined;
    if (result === undefined) throw new RpcError(-32601, "Method not found");
    return result(params);
  };
}
