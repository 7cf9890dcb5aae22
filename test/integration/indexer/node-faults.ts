import type { ProxiedReply } from "../../support/rpc-proxy.ts";

type Fields = Record<string, unknown>;
/** Changes one reply; returns false if the fault does not apply to the reply. */
export type NodeFault = (method: string, reply: ProxiedReply, params: readonly unknown[]) => boolean;

/** Data that some faults insert into replies. */
interface FaultData {
  /** The reply of another chain's node to the same request; undefined for other requests. */
  readonly foreignReply: (method: string, params: readonly unknown[]) => unknown;
  /** Earlier replies of this node, cleared between the tests. */
  readonly earlierReplies: Map<string, unknown>;
}

const inReceipts =
  (change: (receipts: Fields[]) => boolean): NodeFault =>
  (method, reply) =>
    method === "eth_getBlockReceipts" && Array.isArray(reply.result) && reply.result.length > 0 && change(reply.result as Fields[]);
const logsOf = (receipt: Fields | undefined) => (receipt?.logs ?? []) as Fields[];
const withLogs = (receipts: Fields[], min: number) => receipts.find((receipt) => logsOf(receipt).length >= min);
const blockMethods = new Set(["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"]);

/** Faults with their descriptions. A fault is injected into one in n replies on average; n is the last element, 10 by default. */
export const createNodeFaults = ({ foreignReply, earlierReplies }: FaultData): [string, NodeFault, number?][] => [
  [
    "returns another chain's data",
    (method, reply, params) => {
      const other = foreignReply(method, params);
      return other !== undefined && Object.assign(reply, { result: structuredClone(other) }) !== null;
    },
  ],
  ["omits the last receipt", inReceipts((receipts) => receipts.pop() !== undefined), 4],
  [
    "omits the last transaction",
    (method, reply) => {
      const transactions = (reply.result as Fields | null)?.transactions;
      return method === "eth_getBlockByNumber" && Array.isArray(transactions) && transactions.pop() !== undefined;
    },
  ],
  ["omits a log", inReceipts((receipts) => logsOf(withLogs(receipts, 1)).pop() !== undefined)],
  [
    "omits all logs and clears the receipts' bloom",
    inReceipts((receipts) => {
      for (const receipt of receipts) Object.assign(receipt, { logs: [], logsBloom: `0x${"00".repeat(256)}` });
      return true;
    }),
  ],
  [
    "omits a transaction and its receipt",
    (method, reply) => {
      // Both replies lose their last item, so they remain consistent.
      if (method === "eth_getBlockReceipts") return Array.isArray(reply.result) && reply.result.pop() !== undefined;
      const block = reply.result as { transactions?: unknown[] } | null;
      return method === "eth_getBlockByNumber" && block?.transactions?.pop() !== undefined;
    },
  ],
  ["returns null for a receipt", inReceipts((receipts) => Object.assign(receipts, { 0: null }) !== null)],
  [
    "returns null instead of receipts",
    (method, reply) => method === "eth_getBlockReceipts" && Object.assign(reply, { result: null }) !== null,
  ],
  [
    "returns a duplicate log",
    inReceipts((receipts) => {
      const logs = logsOf(withLogs(receipts, 1));
      return logs[0] !== undefined && logs.push({ ...logs[0] }) > 0;
    }),
  ],
  [
    "returns logs in another order",
    inReceipts((receipts) => {
      const [first, second] = receipts.map(logsOf).filter(({ length }) => length > 0);
      if (first === undefined || second === undefined) return false;
      [first[0], second[0]] = [second[0] as Fields, first[0] as Fields];
      return true;
    }),
  ],
  [
    "returns another transaction's logs",
    inReceipts((receipts) => {
      const [first, second] = receipts.filter((receipt) => logsOf(receipt).length > 0);
      return first !== undefined && second !== undefined && Object.assign(first, { logs: second.logs }) !== null;
    }),
  ],
  [
    "returns the previous block",
    (method, reply, params) => {
      const height = Number(params[0]);
      const storedReply = earlierReplies.get(`${method} ${height - 1} ${String(params[1])}`);
      earlierReplies.set(`${method} ${height} ${String(params[1])}`, structuredClone(reply.result));
      return blockMethods.has(method) && storedReply !== undefined && Object.assign(reply, { result: storedReply }) !== null;
    },
  ],
  [
    "returns an error with status 200",
    (_method, reply) => {
      delete reply.result;
      return Object.assign(reply, { error: { code: -32603, message: "internal error" } }) !== null;
    },
  ],
  ["returns null", (_method, reply) => Object.assign(reply, { result: null }) !== null],
  [
    "returns an outdated head",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      const storedReply = earlierReplies.get("head") ?? structuredClone(reply.result);
      earlierReplies.set("head", storedReply);
      return Object.assign(reply, { result: storedReply }) !== null;
    },
    1,
  ],
  [
    "returns a head far above its blocks",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      return Object.assign(reply.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "returns a finalized block far above the head",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "finalized") return false;
      return Object.assign(reply.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "omits a transaction's call frames",
    (method, reply) => {
      if (method !== "trace_block" || !Array.isArray(reply.result) || reply.result.length === 0) return false;
      const last = (reply.result as Fields[]).at(-1)?.transactionPosition;
      reply.result = (reply.result as Fields[]).filter(({ transactionPosition }) => transactionPosition !== last);
      return true;
    },
  ],
];
