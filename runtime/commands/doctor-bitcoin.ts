import { type BitcoinCapabilities, describeBitcoinNode, probeBitcoinNode } from "../chain/bitcoin/capabilities.ts";
import { createBitcoinRpc, createBitcoinSource } from "../chain/bitcoin/source.ts";
import { InvalidResponseError, RpcError } from "../chain/errors.ts";
import type { Rpc } from "../chain/rpc.ts";
import { type BitcoinNetwork, bitcoinNetworks } from "../lib/bitcoin/networks.ts";
import { invalidValue } from "./option-values.ts";
import { renderCapabilities } from "./render-capabilities.ts";

const checkedBlocks = 3;

/**
 * Prints what a Bitcoin node offers and returns the exit status; null, without printing, if it is not a Bitcoin node. @throws {Error} if its responses are
 * invalid.
 */
export async function doctorBitcoinNode(url: string, from: number, print: (line: string) => void): Promise<number | null> {
  const rpc = createBitcoinRpc({ url, retries: 2 });
  try {
    const capabilities = await probeOrNull(rpc);
    if (capabilities === null) return null;
    const source = createBitcoinSource(rpc, { attempts: 2 });
    const head = await source.head();
    if (from > head.number || from < capabilities.firstBlock) {
      print(invalidValue("--from", from, `a block from ${capabilities.firstBlock} to ${head.number}, which the node has`).message);
      return 1;
    }
    print(`The node at ${new URL(url).host} serves ${describeNetwork(capabilities)}; its head is block ${head.number}.`);
    print("");
    for (const line of renderCapabilities(describeBitcoinNode(capabilities))) print(line);
    print("");
    const start = performance.now();
    const blocks = await source.fetchBlocks(Math.max(capabilities.firstBlock, head.number - checkedBlocks + 1), head.number);
    const transactions = blocks.reduce((sum, block) => sum + block.transactions.length, 0);
    const milliseconds = Math.round(performance.now() - start);
    print(`The node's last ${blocks.length} blocks (${transactions} transactions) are consistent; fetched in ${milliseconds} ms.`);
    print("Checked: parent hashes, heights, amounts and scripts. Not checked: block hashes, proof of work and signatures.");
    return 0;
  } catch (error) {
    print(`This node cannot be used: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await rpc.close();
  }
}

const probeOrNull = async (rpc: Rpc): Promise<BitcoinCapabilities | null> => {
  try {
    return await probeBitcoinNode(rpc);
  } catch (error) {
    if (error instanceof RpcError || error instanceof InvalidResponseError) return null;
    throw error;
  }
};

/** A node's network and version, which are untrusted. */
const describeNetwork = ({ network, version }: BitcoinCapabilities): string => {
  const supportedName = Object.entries<BitcoinNetwork>(bitcoinNetworks).find(([, { coreName }]) => coreName === network)?.[0];
  const clean = (text: string): string => text.replace(/[^\x20-\x7e]/g, "").slice(0, 80);
  return `the Bitcoin network ${supportedName ?? `${clean(network)}, which Ashlar does not support,`} (${clean(version)})`;
};
