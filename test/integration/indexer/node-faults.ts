import type { ProxiedResponse } from "../../support/rpc-proxy.ts";

type Fields = Record<string, unknown>;
/** Changes one response; returns false if the fault does not apply to it. */
export type NodeFault = (method: string, response: ProxiedResponse, params: readonly unknown[]) => boolean;

/** Data that some faults insert into responses. */
interface FaultData {
  /** The result that another chain's node returned for the same request; undefined if the request was not recorded. */
  readonly foreignResult: (method: string, params: readonly unknown[]) => unknown;
  /** Earlier results of this node by request, cleared between the tests. */
  readonly earlierResults: Map<string, unknown>;
}

const inReceipts =
  (change: (receipts: Fields[]) => boolean): NodeFault =>
  (method, response) =>
    method === "eth_getBlockReceipts" &&
    Array.isArray(response.result) &&
    response.result.length > 0 &&
    change(response.result as Fields[]);
const logsOf = (receipt: Fields | undefined) => (receipt?.logs ?? []) as Fields[];
const withLogs = (receipts: Fields[], min: number) => receipts.find((receipt) => logsOf(receipt).length >= min);
const blockMethods = new Set(["eth_getBlockByNumber", "eth_getBlockReceipts", "trace_block"]);

/** Faults with their descriptions. A fault is injected into one in n responses on average; n is the last element, 10 by default. */
export const createNodeFaults = ({ foreignResult, earlierResults }: FaultData): [string, NodeFault, number?][] => [
  [
    "returns another chain's data",
    (method, response, params) => {
      const other = foreignResult(method, params);
      return other !== undefined && Object.assign(response, { result: structuredClone(other) }) !== null;
    },
  ],
  ["omits the last receipt", inReceipts((receipts) => receipts.pop() !== undefined), 4],
  [
    "omits the last transaction",
    (method, response) => {
      const transactions = (response.result as Fields | null)?.transactions;
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
    (method, response) => {
      // Both responses lose their last item, so they remain consistent.
      if (method === "eth_getBlockReceipts") return Array.isArray(response.result) && response.result.pop() !== undefined;
      const block = response.result as { transactions?: unknown[] } | null;
      return method === "eth_getBlockByNumber" && block?.transactions?.pop() !== undefined;
    },
  ],
  ["returns null for a receipt", inReceipts((receipts) => Object.assign(receipts, { 0: null }) !== null)],
  [
    "returns null instead of receipts",
    (method, response) => method === "eth_getBlockReceipts" && Object.assign(response, { result: null }) !== null,
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
    (method, response, params) => {
      const height = Number(params[0]);
      const storedResult = earlierResults.get(`${method} ${height - 1} ${String(params[1])}`);
      earlierResults.set(`${method} ${height} ${String(params[1])}`, structuredClone(response.result));
      return blockMethods.has(method) && storedResult !== undefined && Object.assign(response, { result: storedResult }) !== null;
    },
  ],
  [
    "returns an error with status 200",
    (_method, response) => {
      delete response.result;
      return Object.assign(response, { error: { code: -32603, message: "internal error" } }) !== null;
    },
  ],
  ["returns null", (_method, response) => Object.assign(response, { result: null }) !== null],
  [
    "returns an outdated head",
    (method, response, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      const storedResult = earlierResults.get("head") ?? structuredClone(response.result);
      earlierResults.set("head", storedResult);
      return Object.assign(response, { result: storedResult }) !== null;
    },
    1,
  ],
  [
    "returns a head far above its blocks",
    (method, response, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "latest") return false;
      return Object.assign(response.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "returns a finalized block far above the head",
    (method, response, params) => {
      if (method !== "eth_getBlockByNumber" || params[0] !== "finalized") return false;
      return Object.assign(response.result as Fields, { number: "0xffffff" }) !== null;
    },
    1,
  ],
  [
    "omits a transaction's call frames",
    (method, response) => {
      if (method !== "trace_block" || !Array.isArray(response.result) || response.result.length === 0) return false;
      const last = (response.result as Fields[]).at(-1)?.transactionPosition;
      response.result = (response.result as Fields[]).filter(({ transactionPosition }) => transactionPosition !== last);
      return true;
    },
  ],
];
