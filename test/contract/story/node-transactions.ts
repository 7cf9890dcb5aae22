import { createNodeClient } from "../../../demo/node/client.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { useApp } from "../../support/app.ts";

interface NodeTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address | null;
  readonly value: Hex;
  readonly input: Hex;
}
export interface NodeBlock {
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly baseFeePerGas: Hex;
  readonly transactions: readonly NodeTransaction[];
}
interface Receipt {
  readonly transactionHash: Hash;
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly contractAddress: Address | null;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Hex }[];
}
export interface MinedTransaction extends NodeTransaction {
  readonly time: number;
  readonly baseFee: bigint;
  readonly receipt: Receipt;
  readonly block: number;
}

const blocksPerBatch = 100;
const app = await useApp();

/** Reads all blocks of the story's node, and their transactions with receipts, oldest first. */
export async function readNodeTransactions(): Promise<{ readonly blocks: NodeBlock[]; readonly transactions: MinedTransaction[] }> {
  const node = createNodeClient(app.rpcUrl);
  const blocks: NodeBlock[] = [];
  const transactions: MinedTransaction[] = [];
  try {
    const head = Number(await node.request<Hex>("eth_blockNumber"));
    for (let first = 0; first <= head; first += blocksPerBatch) {
      const length = Math.min(blocksPerBatch, head - first + 1);
      const numbers = Array.from({ length }, (_, index): Hex => `0x${(first + index).toString(16)}`);
      const found = await node.batch<NodeBlock>(numbers.map((number) => ({ method: "eth_getBlockByNumber", parameters: [number, true] })));
      const receipts = await node.batch<readonly Receipt[]>(
        numbers.map((number) => ({ method: "eth_getBlockReceipts", parameters: [number] })),
      );
      for (const [index, block] of found.entries()) {
        const byHash = new Map(receipts[index]?.map((receipt) => [receipt.transactionHash, receipt]));
        for (const transaction of block.transactions) {
          const receipt = byHash.get(transaction.hash);
          if (receipt === undefined) throw new Error(`Missing receipt for transaction ${transaction.hash}.`);
          const at = { block: Number(block.number), time: Number(block.timestamp), baseFee: BigInt(block.baseFeePerGas) };
          transactions.push({ ...transaction, ...at, receipt });
        }
      }
      blocks.push(...found);
    }
  } finally {
    await node.close();
  }
  return { blocks, transactions };
}

/** The transactions whose sender, recipient or created contract is an address. */
export const transactionsOf = (transactions: readonly MinedTransaction[], address: Address): MinedTransaction[] =>
  transactions.filter(({ from, to, receipt }) => from === address || to === address || receipt.contractAddress === address);

/** The address of a story value. @throws {Error} if the name is unknown. */
export function storyAddress(name: string): Address {
  const value = app.storyValues[name];
  if (value === undefined) throw new Error(`Unknown story value ${name}.`);
  return value as Address;
}

/** Requests a path from the service and returns the data and the credits charged. */
export async function fetchData<T>(path: string): Promise<{ data: T; credits: string | null }> {
  const response = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${app.key}` } });
  const { data } = (await response.json()) as { data: T };
  return { data, credits: response.headers.get("x-credits") };
}

/** Formats a Unix time as the service does. */
export const isoTime = (time: number): string => `${new Date(time * 1000).toISOString().slice(0, 19)}Z`;

/** An address that does not occur in the story. */
export const unusedAddress: Address = "0x00000000000000000000000000000000deadbeef";
