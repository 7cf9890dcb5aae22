import type { ProxiedReply } from "../../support/rpc-proxy.ts";

type Fields = Record<string, unknown>;
/** Changes one reply; false where this reply gives no opportunity. */
export type Lie = (method: string, reply: ProxiedReply, params: readonly unknown[]) => boolean;

/** What some lies tell instead of the truth. */
interface Known {
  /** The reply of another chain's node to the same question; undefined where it was not asked. */
  readonly foreignReply: (method: string, params: readonly unknown[]) => unknown;
  /** What this node told before, forgotten between the tests. */
  readonly earlier: Map<string, unknown>;
}

const inReceipts =
  (change: (receipts: Fields[]) => boolean): Lie =>
  (method, reply) =>
    method === "eth_getBlockReceipts" && Array.isArray(reply.result) && reply.result.length > 0 && change(reply.result as Fields[]);
const logsOf = (receipt: Fields | undefined) => (receipt?.logs ?? []) as Fields[];
const withLogs = (receipts: Fields[], least: number) => receipts.find((receipt) => logsOf(receipt).length >= least);
const ofBlocks = new Set(["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"]);

/** Every lie by what the node does, with how often it gets the chance: once in so many replies. */
export const createLies = ({ foreignReply, earlier }: Known): [string, Lie, number?][] => [
  [
    "answers for another chain",
    (method, reply, params) => {
      const other = foreignReply(method, params);
      return other !== undefined && Object.assign(reply, { result: structuredClone(other) }) !== null;
    },
  ],
  ["leaves out the last receipt", inReceipts((receipts) => receipts.pop() !== undefined), 4],
  [
    "leaves out the last transaction",
    (method, reply) => {
      const transactions = (reply.result as Fields | null)?.transactions;
      return method === "eth_getBlockByNumber" && Array.isArray(transactions) && transactions.pop() !== undefined;
    },
  ],
  ["leaves out a log", inReceipts((receipts) => logsOf(withLogs(receipts, 1)).pop() !== undefined)],
  [
    "leaves out all logs and empties the bloom of the receipts",
    inReceipts((receipts) => {
      for (const receipt of receipts) Object.assign(receipt, { logs: [], logsBloom: `0x${"00".repeat(256)}` });
      return true;
    }),
  ],
  [
    "leaves out a transaction with its receipt, whose gas is missing then",
    (method, reply) => {
      // Both replies lose their last part, so that they fit each other.
      if (method === "eth_getBlockReceipts") return Array.isArray(reply.result) && reply.result.pop() !== undefined;
      const block = reply.result as { transactions?: unknown[] } | null;
      return method === "eth_getBlockByNumber" && block?.transactions?.pop() !== undefined;
    },
  ],
  ["tells null for a receipt", inReceipts((receipts) => Object.assign(receipts, { 0: null }) !== null)],
  [
    "tells null instead of receipts",
    (method, reply) => method === "eth_getBlockReceipts" && Object.assign(reply, { result: null }) !== null,
  ],
  [
    "tells a log twice",
    inReceipts((receipts) => {
      const logs = logsOf(withLogs(receipts, 1));
      return logs[0] !== undefined && logs.push({ ...logs[0] }) > 0;
    }),
  ],
  [
    "tells the logs in another order",
    inReceipts((receipts) => {
      const [one, other] = receipts.map(logsOf).filter(({ length }) => length > 0);
      if (one === undefined || other === undefined) return false;
      [one[0], other[0]] = [other[0] as Fields, one[0] as Fields];
      return true;
    }),
  ],
  [
    "tells the logs of another transaction",
    inReceipts((receipts) => {
      const [one, other] = receipts.filter((receipt) => logsOf(receipt).length > 0);
      return one !== undefined && other !== undefined && Object.assign(one, { logs: other.logs }) !== null;
    }),
  ],
  [
    "answers for the block before",
    (method, reply, params) => {
      const height = Number(params[0]);
      const known = earlier.get(`${method} ${height - 1} ${String(params[1])}`);
      earlier.set(`${method} ${height} ${String(params[1])}`, structuredClone(reply.result));
      return ofBlocks.has(method) && known !== undefined && Object.assign(reply, { result: known }) !== null;
    },
  ],
  [
    "answers 200 with an error",
    (_method, reply) => {
      delete reply.result;
      return Object.assign(reply, { error: { code: -32603, message: "internal error" } }) !== null;
    },
  ],
  ["answers null", (_method, reply) => Object.assign(reply, { result: null }) !== null],
  [
    "has a head that goes back",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      const known = earlier.get("head") ?? structuredClone(reply.result);
      earlier.set("head", known);
      return Object.assign(reply, { result: known }) !== null;
    },
    1,
  ],
  [
    "has a head that no block follows up to",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      return Object.assign(reply.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "calls a block final that is far ahead",
    (method, reply, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "finalized") return false;
      return Object.assign(reply.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "leaves out the frames of a transaction",
    (method, reply) => {
      if (method !== "trace_block" || !Array.isArray(reply.result) || reply.result.length === 0) return false;
      const last = (reply.result as Fields[]).at(-1)?.transactionPosition;
      reply.result = (reply.result as Fields[]).filter(({ transactionPosition }) => transactionPosition !== last);
      return true;
    },
  ],
];
