import { decodeAbiParameters } from "viem";
import { createNodeClient, type NodeClient } from "../../demo/node/client.ts";
import type { Address, Hash, Hex } from "../../runtime/lib/hex.ts";

const blocksPerBatch = 25;

/** keccak256 hashes of EIP-20 (and EIP-721), EIP-1155, WETH9 and Uniswap V2 event signatures. */
export const topics = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
  pairCreated: "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
  swap: "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  mint: "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f",
  burn: "0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496",
} as const;

interface Log {
  readonly address: Address;
  readonly topics: readonly Hash[];
  readonly data: Hex;
}
interface Receipt {
  readonly from: Address;
  readonly to: Address | null;
  readonly status: Hex;
  readonly contractAddress: Address | null;
  readonly logs: readonly Log[];
}
interface Trace {
  readonly type: "call" | "create" | "suicide";
  readonly traceAddress: readonly number[];
  readonly error?: string;
  readonly action: {
    readonly callType?: string;
    readonly value?: Hex;
    readonly from?: Address;
    readonly to?: Address;
    readonly address?: Address;
    readonly refundAddress?: Address;
  };
  readonly result?: { readonly address?: Address } | null;
}

/** A chain's contents according to its node. Tests compare the story and the index with them. */
export interface ChainContents {
  readonly head: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly transactionCount: number;
  readonly failedTransactionCount: number;
  readonly senders: ReadonlySet<Address>;
  /** The addresses in blocks, transactions, internal calls and transfers. */
  readonly addresses: ReadonlySet<Address>;
  /** Owners by ERC-20 contract, including wrapped native tokens. */
  readonly erc20: ReadonlyMap<Address, ReadonlySet<Address>>;
  /** Token ids by ERC-721 contract, including burnt ones. */
  readonly erc721: ReadonlyMap<Address, ReadonlySet<bigint>>;
  /** Owners by ERC-1155 contract and token id. */
  readonly erc1155: ReadonlyMap<Address, ReadonlyMap<bigint, ReadonlySet<Address>>>;
  /** The number of internal frames with value by kind (call, create, suicide), and of all delegate calls ("delegatecall") and reverted frames ("reverted"). */
  readonly frames: ReadonlyMap<string, number>;
  /** The number of logs by first topic. */
  readonly logs: ReadonlyMap<Hash, number>;
}

const addressIn = (topic: Hash | undefined): Address => `0x${(topic ?? "").slice(-40)}`;
const addTo = <Key, Item>(map: Map<Key, Set<Item>>, key: Key, ...items: Item[]): void => {
  const set = map.get(key) ?? new Set();
  for (const item of items) set.add(item);
  map.set(key, set);
};

const createTally = () => {
  const senders = new Set<Address>();
  const addresses = new Set<Address>();
  const erc20 = new Map<Address, Set<Address>>();
  const erc721 = new Map<Address, Set<bigint>>();
  const erc1155 = new Map<Address, Map<bigint, Set<Address>>>();
  const frames = new Map<string, number>();
  const logs = new Map<Hash, number>();

  const countEditions = (log: Log, owners: readonly Address[]): void => {
    const byId = erc1155.get(log.address) ?? new Map<bigint, Set<Address>>();
    erc1155.set(log.address, byId);
    const ids =
      log.topics[0] === topics.transferSingle
        ? [decodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], log.data)[0]]
        : decodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], log.data)[0];
    for (const id of ids) addTo(byId, id, ...owners);
  };
  const countLog = (log: Log): void => {
    const [topic, first, second, third] = log.topics;
    if (topic === undefined) return;
    logs.set(topic, (logs.get(topic) ?? 0) + 1);
    addresses.add(log.address);
    if (topic === topics.transfer) {
      const owners = [addressIn(first), addressIn(second)];
      for (const owner of owners) addresses.add(owner);
      if (third === undefined) addTo(erc20, log.address, ...owners);
      else addTo(erc721, log.address, BigInt(third));
    }
    if (topic === topics.deposit || topic === topics.withdrawal) addTo(erc20, log.address, addressIn(first));
    if (topic === topics.transferSingle || topic === topics.transferBatch) {
      const owners = [addressIn(second), addressIn(third)];
      for (const owner of owners) addresses.add(owner);
      countEditions(log, owners);
    }
  };
  const countFrame = ({ type, traceAddress, error, action }: Trace): void => {
    if (traceAddress.length === 0) return;
    const hasValue = type === "suicide" || BigInt(action.value ?? "0x0") > 0n;
    const kinds = action.callType === "delegatecall" ? ["delegatecall"] : hasValue ? [type] : [];
    for (const kind of error === undefined ? kinds : ["reverted"]) frames.set(kind, (frames.get(kind) ?? 0) + 1);
  };
  const countTrace = (trace: Trace): void => {
    const { action, result } = trace;
    countFrame(trace);
    for (const address of [action.from, action.to, action.address, action.refundAddress, result?.address]) {
      if (typeof address === "string") addresses.add(address);
    }
  };
  const countReceipt = (receipt: Receipt): void => {
    senders.add(receipt.from);
    for (const address of [receipt.from, receipt.to, receipt.contractAddress]) if (address !== null) addresses.add(address);
    for (const log of receipt.logs) countLog(log);
  };
  return { senders, addresses, erc20, erc721, erc1155, frames, logs, countReceipt, countTrace };
};

const readHeader = (client: NodeClient, number: Hex): Promise<{ miner: Address; timestamp: Hex }> =>
  client.request("eth_getBlockByNumber", [number, false]);

/** Reads a chain's contents from the receipts and traces of all its node's blocks. */
export const scanChain = async (rpcUrl: string): Promise<ChainContents> => {
  const client = createNodeClient(rpcUrl);
  try {
    const head = Number(await client.request<Hex>("eth_blockNumber"));
    const tally = createTally();
    let transactionCount = 0;
    let failedTransactionCount = 0;
    for (let first = 1; first <= head; first += blocksPerBatch) {
      const numbers = Array.from(
        { length: Math.min(blocksPerBatch, head - first + 1) },
        (_, index): Hex => `0x${(first + index).toString(16)}`,
      );
      const callsOf = (method: string) => numbers.map((number) => ({ method, parameters: [number] }));
      const receipts = (await client.batch<readonly Receipt[]>(callsOf("eth_getBlockReceipts"))).flat();
      const traces = (await client.batch<readonly Trace[]>(callsOf("trace_block"))).flat();
      transactionCount += receipts.length;
      failedTransactionCount += receipts.filter(({ status }) => status === "0x0").length;
      for (const receipt of receipts) tally.countReceipt(receipt);
      for (const trace of traces) tally.countTrace(trace);
    }
    const [genesis, last] = [await readHeader(client, "0x0"), await readHeader(client, `0x${head.toString(16)}`)];
    tally.addresses.add(last.miner);
    return {
      ...tally,
      head,
      transactionCount,
      failedTransactionCount,
      firstTime: Number(genesis.timestamp),
      lastTime: Number(last.timestamp),
    };
  } finally {
    await client.close();
  }
};
