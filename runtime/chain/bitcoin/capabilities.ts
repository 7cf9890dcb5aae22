import type { DescribedCapability } from "../describe-capabilities.ts";
import { RpcError } from "../errors.ts";
import type { Rpc } from "../rpc.ts";
import { integerOf, objectOf, type RawObject, textOf } from "./decode-block.ts";

/** A Bitcoin node's capabilities. */
export interface BitcoinCapabilities {
  /** Its network's name: main, testnet4, signet or regtest. */
  readonly network: string;
  /** Its user agent, such as /Satoshi:28.0.0/. */
  readonly version: string;
  /** Whether blocks are returned with the outputs that their transactions spend (getblock with verbosity 3, since version 23). */
  readonly hasSpentOutputs: boolean;
  /** Whether every transaction can be read by its id. */
  readonly hasTxIndex: boolean;
  /** The first block that the node still has. */
  readonly firstBlock: number;
}

/** The first Bitcoin Core version whose getblock supports verbosity 3. */
const versionWithSpentOutputs = 230_000;

/** Probes a node's capabilities. @throws {TransportError} if it cannot be reached. @throws {InvalidResponseError} if it is not a Bitcoin node. */
export const probeBitcoinNode = async (rpc: Rpc): Promise<BitcoinCapabilities> => {
  const chain = objectOf(await rpc.request("getblockchaininfo", []), "getblockchaininfo");
  const node = objectOf(await rpc.request("getnetworkinfo", []), "getnetworkinfo");
  return {
    network: textOf(chain.chain, "network of the node"),
    version: textOf(node.subversion, "version of the node"),
    hasSpentOutputs: integerOf(node.version, "version of the node") >= versionWithSpentOutputs,
    hasTxIndex: await hasTransactionIndex(rpc),
    firstBlock: chain.pruned === true ? integerOf(chain.pruneheight, "pruneheight") : 0,
  };
};

/** Whether the transaction index exists and is complete. */
const hasTransactionIndex = async (rpc: Rpc): Promise<boolean> => {
  try {
    const indexes: RawObject = objectOf(await rpc.request("getindexinfo", ["txindex"]), "getindexinfo");
    return indexes.txindex !== undefined && objectOf(indexes.txindex, "txindex").synced === true;
  } catch (error) {
    if (error instanceof RpcError) return false;
    throw error;
  }
};

/** A node's features and their consequences for an index. */
export const describeBitcoinNode = ({ hasSpentOutputs, hasTxIndex, firstBlock }: BitcoinCapabilities): DescribedCapability[] => [
  {
    feature: "spent-outputs",
    offered: hasSpentOutputs,
    found: hasSpentOutputs ? "getblock with verbosity 3" : "no",
    consequence: hasSpentOutputs
      ? "the outputs that a transaction spends are known, including those before the first indexed block"
      : "the outputs that a transaction spends are looked up in the index",
  },
  {
    feature: "transaction-index",
    offered: hasTxIndex,
    found: hasTxIndex ? "txindex" : "no",
    consequence: hasTxIndex
      ? "outputs before the first indexed block can be read one by one"
      : hasSpentOutputs
        ? "not needed, because blocks have the outputs that they spend"
        : "outputs before the first indexed block stay unknown, and so do the senders that spend them, unless from is 0",
  },
  {
    feature: "all-blocks",
    offered: firstBlock === 0,
    found: firstBlock === 0 ? "not pruned" : `pruned below block ${firstBlock}`,
    consequence: firstBlock === 0 ? "an index can start at any block" : `an index can only start at block ${firstBlock} or later (from)`,
  },
];
