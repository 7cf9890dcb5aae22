import type { Address } from "../lib/hex.ts";
import { InvalidResponseError } from "./errors.ts";
import { asList, asObject, type RawObject, readAddress, readBigQuantity, readHash, readOptional } from "./quantities.ts";
import type { ChainTransaction, ValueTrace } from "./types.ts";

/** The namespace of a node's tracing methods: debug_traceBlockByNumber and its relatives, or trace_block and its relatives. */
export type TraceKind = "debug" | "trace";

/** The value transfers inside one transaction. */
export interface TransactionTraces {
  /** Whether the transaction failed, so that no value was transferred. */
  readonly failed: boolean;
  readonly traces: readonly ValueTrace[];
}

const plainTransferGas = 21_000n;

/**
 * Whether internal calls may have transferred value. A transaction without input that used 21,000 gas ran no code (Yellow Paper, appendix G); before
 * EIP-1559 a refund could lower the gas used to that amount, and before EIP-658 only the trace contains the status.
 */
export const mayHaveInternalTransfers = (transaction: ChainTransaction, baseFeePerGas: bigint | null): boolean => {
  if (transaction.successful === false) return false;
  if (transaction.successful === null || transaction.to === null || transaction.input !== "0x") return true;
  const isPlain = transaction.gasUsed === plainTransferGas && (baseFeePerGas !== null || transaction.gasLimit === plainTransferGas);
  return !isPlain;
};

/** One transaction's frames that transferred value or destroyed a contract. */
interface Frames {
  readonly steps: readonly ValueTrace[];
  readonly created: ReadonlySet<Address>;
  /** The total number of frames. */
  readonly count: number;
}

/**
 * The transfers of value. A self-destruct to the contract itself burns its balance; since EIP-6780 only if the contract was created in the same transaction,
 * otherwise nothing is transferred. Value that a contract receives between its self-destruct and the end of the transaction is burnt too. A burn is returned
 * as a self-destruct with the same address on both sides.
 */
const transfersIn = ({ steps, created, count }: Frames, eip6780: boolean): ValueTrace[] => {
  const transfers: ValueTrace[] = [];
  /** Value received by contracts since their self-destruct. */
  const received = new Map<Address, bigint>();
  const pay = (account: Address, value: bigint) => {
    const previous = received.get(account);
    if (previous !== undefined) received.set(account, previous + value);
  };
  for (const step of steps) {
    const { type, from, to, value } = step;
    const isDestroyed = type === "selfdestruct" && (!eip6780 || created.has(from));
    if (type === "selfdestruct" && from === to && !isDestroyed) continue;
    if (value > 0n) transfers.push(step);
    pay(from, -value);
    pay(to, value);
    if (isDestroyed) received.set(from, 0n);
  }
  let index = count;
  for (const [account, value] of received) {
    if (value <= 0n) continue;
    transfers.push({ index, type: "selfdestruct", from: account, to: account, value });
    index += 1;
  }
  return transfers;
};

/**
 * Reads debug_traceBlockByNumber with the callTracer: one tree of frames per transaction.
 * @throws {InvalidResponseError} if the trees belong to other transactions.
 */
export const readCallTracer = (response: unknown, transactions: readonly ChainTransaction[], eip6780: boolean): TransactionTraces[] => {
  const results = asList(response, "traces");
  if (results.length !== transactions.length) throw wrongCount(results.length, transactions.length);
  return transactions.map((transaction, position) => {
    const item = asObject(results[position], "trace");
    const reported = readOptional(item, "txHash", readHash);
    if (reported !== null && reported !== transaction.hash)
      throw new InvalidResponseError(`The node returned the trace of transaction ${reported} for transaction ${transaction.hash}.`);
    const root = asObject(item.result, "trace result");
    verifyRoot(transaction, readAddress(root, "from"), readOptional(root, "value", readBigQuantity) ?? 0n);
    const failed = root.error !== undefined;
    return { failed, traces: failed ? [] : transfersIn(walkFrames(root, transaction), eip6780) };
  });
};

const createdBy = ({ createdContract }: ChainTransaction): Set<Address> => new Set(createdContract === null ? [] : [createdContract]);

const wrongCount = (returned: number, expected: number): InvalidResponseError =>
  new InvalidResponseError(`The node returned traces of ${returned} transactions; expected ${expected}.`);

const verifyRoot = (transaction: ChainTransaction, from: Address, value: bigint): void => {
  if (from !== transaction.from || value !== transaction.value) {
    throw new InvalidResponseError(`The node returned a trace whose sender or value differs from that of transaction ${transaction.hash}.`);
  }
};

const movingTypes: Readonly<Record<string, ValueTrace["type"]>> = {
  CALL: "call",
  CREATE: "create",
  CREATE2: "create",
  SELFDESTRUCT: "selfdestruct",
};

/** Frame types that run another contract's code in the caller's context. */
const delegating = new Set(["DELEGATECALL", "CALLCODE"]);

/**
 * Walks the frames in call order, without recursion because calls may be nested a thousand levels deep. Failed frames and all frames below them are omitted.
 */
const walkFrames = (root: RawObject, transaction: ChainTransaction): Frames => {
  const steps: ValueTrace[] = [];
  const created = createdBy(transaction);
  const below = (frame: RawObject, account: Address | null) =>
    childrenOf(frame)
      .reverse()
      .map((child) => ({ frame: child, account }));
  // Frames to visit, each with the account in whose context its caller ran.
  const waiting = below(root, transaction.to ?? transaction.createdContract);
  let index = 0;
  for (; waiting.length > 0; index += 1) {
    const next = waiting.pop();
    if (next === undefined || next.frame.error !== undefined) continue;
    const { frame, account } = next;
    const type = movingTypes[String(frame.type)];
    // For a contract that is its own beneficiary and survives (EIP-6780), some nodes return the transaction's last transfer instead.
    if (type === "selfdestruct" && readAddress(frame, "from") !== account) continue;
    if (type === "create") created.add(readAddress(frame, "to"));
    const value = readOptional(frame, "value", readBigQuantity) ?? 0n;
    if (type === "selfdestruct" || (type !== undefined && value > 0n)) {
      steps.push({ index, type, from: readAddress(frame, "from"), to: readAddress(frame, "to"), value });
    }
    waiting.push(...below(frame, delegating.has(String(frame.type)) ? account : readOptional(frame, "to", readAddress)));
  }
  return { steps, created, count: index };
};

const childrenOf = (frame: RawObject): RawObject[] =>
  frame.calls === undefined ? [] : asList(frame.calls, "calls").map((item) => asObject(item, "frame"));

/** Reads trace_block: a flat list of frames in call order, each with its path. @throws {InvalidResponseError} if they belong to other transactions. */
export const readFlatTraces = (response: unknown, transactions: readonly ChainTransaction[], eip6780: boolean): TransactionTraces[] => {
  const byPosition = transactions.map((): RawObject[] => []);
  for (const item of asList(response, "traces")) {
    const trace = asObject(item, "trace");
    // Block rewards are not part of a transaction.
    if (trace.type === "reward") continue;
    const position = trace.transactionPosition;
    const frames = typeof position === "number" ? byPosition[position] : undefined;
    if (frames === undefined || readHash(trace, "transactionHash") !== transactions[Number(position)]?.hash) {
      throw new InvalidResponseError("The node returned a trace for a transaction that is not in the block.");
    }
    frames.push(trace);
  }
  return transactions.map((transaction, position) => readFlatFrames(byPosition[position] ?? [], transaction, position, eip6780));
};

const readFlatFrames = (
  frames: readonly RawObject[],
  transaction: ChainTransaction,
  position: number,
  eip6780: boolean,
): TransactionTraces => {
  const root = frames[0];
  if (root === undefined || pathOf(root) !== "") {
    throw new InvalidResponseError(`The node returned no trace for transaction ${position}.`);
  }
  const rootAction = asObject(root.action, "action");
  verifyRoot(transaction, readAddress(rootAction, "from"), readBigQuantity(rootAction, "value"));
  const steps: ValueTrace[] = [];
  const created = createdBy(transaction);
  /** The account in whose context each frame ran, by path. */
  const accounts = new Map<string, Address | null>([["", transaction.to ?? transaction.createdContract]]);
  // Parents precede their children, so the frames below a failed one follow it directly.
  let failedPath: string | null = null;
  frames.forEach((frame, index) => {
    const path = pathOf(frame);
    if (failedPath !== null && path.startsWith(failedPath)) return;
    if (frame.error !== undefined && frame.error !== null) failedPath = path;
    else if (index > 0) {
      const caller = accounts.get(path.replace(/[0-9]+\.$/, "")) ?? null;
      accounts.set(path, accountOf(frame, caller));
      if (frame.type === "create") created.add(createdAddress(frame));
      steps.push(...stepOf(frame, index - 1, caller));
    }
  });
  return { failed: failedPath === "", traces: transfersIn({ steps, created, count: frames.length - 1 }, eip6780) };
};

const accountOf = (frame: RawObject, caller: Address | null): Address | null => {
  if (frame.type === "create") return createdAddress(frame);
  if (frame.type !== "call") return null;
  const action = asObject(frame.action, "action");
  return action.callType === "delegatecall" || action.callType === "callcode" ? caller : readAddress(action, "to");
};

/** "" for the root, "0.2." for the third call within its first call. */
const pathOf = (frame: RawObject): string =>
  asList(frame.traceAddress, "traceAddress")
    .map((step) => `${Number(step)}.`)
    .join("");

const createdAddress = (frame: RawObject): Address => readAddress(asObject(frame.result, "result"), "address");

const stepOf = (frame: RawObject, index: number, caller: Address | null): ValueTrace[] => {
  const action = asObject(frame.action, "action");
  const transfer = (type: ValueTrace["type"], from: Address, to: () => Address, value: bigint): ValueTrace[] =>
    value > 0n ? [{ index, type, from, to: to(), value }] : [];
  switch (frame.type) {
    case "call":
      // The value of a delegatecall or callcode is not transferred.
      return action.callType === "call"
        ? transfer("call", readAddress(action, "from"), () => readAddress(action, "to"), readBigQuantity(action, "value"))
        : [];
    case "create":
      return transfer("create", readAddress(action, "from"), () => createdAddress(frame), readBigQuantity(action, "value"));
    case "suicide":
    case "selfdestruct":
      // Some nodes return the last transfer instead; see `walkFrames`.
      if (readAddress(action, "address") !== caller) return [];
      return [
        { index, type: "selfdestruct", from: caller, to: readAddress(action, "refundAddress"), value: readBigQuantity(action, "balance") },
      ];
    default:
      return [];
  }
};
