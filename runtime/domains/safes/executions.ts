import type { ChainTransaction } from "../../chain/types.ts";
import type { DecodedBlock, SafeEvent } from "../../events/decoded-block.ts";
import { bytesAt } from "../../events/safes.ts";
import { addressAt, hasWords, wordAt } from "../../events/words.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Address, Hash, Hex } from "../../lib/hex.ts";

/** A transaction that a Safe executed. */
export interface SafeExecution {
  readonly safe: Address;
  readonly transactionIndex: number;
  /** The log index of the event that ends the execution. */
  readonly logIndex: number;
  /** The EIP-712 hash that the owners sign. */
  readonly txHash: Hash;
  readonly isSuccessful: boolean;
  /** The signatures that the Safe received; null if neither an event nor the transaction's input contains them. */
  readonly signatures: Hex | null;
  /** Signatures are checked against the owners and threshold in force just before the log at this index: a Safe checks them before it executes. */
  readonly checkedBefore: number;
}

/** The executions of a block, by log index. */
export function executionsOf({ block, events }: DecodedBlock): SafeExecution[] {
  const byTransaction = groupBy(events.filter(isSafeEvent), ({ transactionIndex }) => transactionIndex);
  return block.transactions.flatMap((transaction) => {
    const transactionEvents = byTransaction.get(transaction.index);
    return transactionEvents === undefined ? [] : executionsOfTransaction(transactionEvents, transaction);
  });
}

const safeKinds: ReadonlySet<string> = new Set<SafeEvent["kind"]>([
  "safeSetup",
  "safeOwnerAdded",
  "safeOwnerRemoved",
  "safeThreshold",
  "safeStarted",
  "safeExecuted",
]);

/** Whether a decoded event is a Safe event. */
export const isSafeEvent = (event: DecodedBlock["events"][number]): event is SafeEvent => safeKinds.has(event.kind);

function executionsOfTransaction(events: readonly SafeEvent[], transaction: ChainTransaction): SafeExecution[] {
  const firstLog = transaction.logs[0]?.index ?? 0;
  const executions = executionsWithEvents(events, firstLog);
  const fromInput = executions.some(({ signatures }) => signatures === null) ? signaturesInInput(executions, transaction) : null;
  return executions.map((execution) => {
    if (execution.signatures !== null) return execution;
    const found = fromInput?.get(execution.logIndex);
    if (found === undefined) return execution;
    return { ...execution, signatures: found.signatures, checkedBefore: found.isOutermost ? firstLog : execution.checkedBefore };
  });
}

/** Executions with the signatures that SafeL2 emits: each end belongs to the last start of the same Safe that has not ended. */
function executionsWithEvents(events: readonly SafeEvent[], firstLog: number): SafeExecution[] {
  const started = new Map<Address, (SafeEvent & { readonly kind: "safeStarted" })[]>();
  /** The earliest position at which the next execution of a Safe can start. */
  const earliest = new Map<Address, number>();
  const executions: SafeExecution[] = [];
  for (const event of events) {
    const { address: safe, transactionIndex, logIndex } = event;
    if (event.kind === "safeStarted") {
      const open = started.get(safe);
      if (open === undefined) started.set(safe, [event]);
      else open.push(event);
    } else if (event.kind === "safeSetup") earliest.set(safe, logIndex + 1);
    else if (event.kind === "safeExecuted") {
      const start = started.get(safe)?.pop();
      executions.push({
        safe,
        transactionIndex,
        logIndex,
        txHash: event.txHash,
        isSuccessful: event.isSuccessful,
        signatures: start?.signatures ?? null,
        checkedBefore: start?.logIndex ?? earliest.get(safe) ?? firstLog,
      });
      earliest.set(safe, logIndex + 1);
    }
  }
  return executions;
}

/**
 * Signatures in the transaction's input, by their execution's log index. The search starts with the called Safe, whose last execution is the outermost, and
 * follows nested calls to Safes that execute only once in the transaction.
 */
function signaturesInInput(executions: readonly SafeExecution[], { to, input }: ChainTransaction) {
  const bySafe = groupBy(executions, ({ safe }) => safe);
  const found = new Map<number, { readonly signatures: Hex; readonly isOutermost: boolean }>();
  let isOutermost = true;
  for (let call = { to, input } as { to: Address | null; input: Hex } | null; call !== null; isOutermost = false) {
    const safeExecutions = call.to === null ? [] : (bySafe.get(call.to) ?? []);
    const execution = isOutermost || safeExecutions.length === 1 ? safeExecutions.at(-1) : undefined;
    const decoded = execution === undefined ? null : decodeExecTransaction(call.input);
    if (execution === undefined || decoded === null) break;
    found.set(execution.logIndex, { signatures: decoded.signatures, isOutermost });
    call = execution.isSuccessful ? decoded.call : null;
  }
  return found;
}

/** execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes) */
const execTransaction = "0x6a761202";

/** The signatures of a call to `execTransaction`, and the call that it makes unless it is a delegate call; null for any other input. */
function decodeExecTransaction(input: Hex): { readonly signatures: Hex; readonly call: { to: Address; input: Hex } | null } | null {
  if (!input.startsWith(execTransaction)) return null;
  const parameters: Hex = `0x${input.slice(execTransaction.length)}`;
  if (!hasWords(parameters, 10)) return null;
  const signatures = bytesAt(parameters, 9);
  if (signatures === null) return null;
  const [to, data] = [addressAt(parameters, 0), bytesAt(parameters, 2)];
  const isCall = wordAt(parameters, 3) === 0n;
  return { signatures, call: to === null || data === null || !isCall ? null : { to, input: data } };
}
