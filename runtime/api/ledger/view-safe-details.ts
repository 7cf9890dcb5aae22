import { setImmediate as nextTurn } from "node:timers/promises";
import type { SafeDetails } from "../../../generated/responses.gen.ts";
import type { TransactionPosition } from "../../domains/ledger/queries/transaction.ts";
import { safesProjectionId } from "../../domains/safes/projection.ts";
import type { OwnerCandidate, SafeExecutionRow } from "../../domains/safes/queries.ts";
import { recoverSigner, type SafeSignature, splitSignatures } from "../../domains/safes/signatures.ts";
import { groupBy } from "../../lib/group-by.ts";
import type { Address } from "../../lib/hex.ts";
import { includesBlock } from "../as-of-projection.ts";
import type { ResolverContext } from "../context.ts";

/**
 * Max signatures in one response whose owners are determined: anyone can fill a block with thousands of signatures, and recovering one takes about 1
 * ms.
 */
const maxDetermined = 2_000;
/** Signatures that are recovered before other requests get their turn. */
const recoveredPerTurn = 10;

/** A signature with the execution that received it. */
interface ReceivedSignature extends SafeSignature {
  readonly execution: SafeExecutionRow;
  /** Whether the Safe checked it: a Safe checks the first signatures up to its threshold, and at least one. */
  readonly isChecked: boolean;
}

const keyOf = (position: TransactionPosition): string => `${position.block_number}:${position.transaction_index}`;

/**
 * The signatures that Safes received in each transaction, in execution order; null while a block's executions are not indexed.
 */
export async function safeDetailsOf(
  context: ResolverContext,
  chainId: number,
  transactions: readonly TransactionPosition[],
): Promise<(position: TransactionPosition) => SafeDetails[] | null> {
  const { checkpoints, safes } = context;
  const included = transactions.filter(({ block_number }) => includesBlock(checkpoints, safesProjectionId, block_number));
  const executions = included.length === 0 ? [] : await safes.executionsOfTransactions(chainId, included);
  const received = executions.flatMap(receivedBy);
  const ownerOf = await ownersOf(context, chainId, received.slice(0, maxDetermined));
  const signaturesOf = groupBy(received, ({ execution }) => execution);
  const detailsOf = new Map<string, SafeDetails[]>(included.map((position) => [keyOf(position), []]));
  for (const execution of executions) {
    const details = detailsOf.get(keyOf(execution));
    if (execution.signatures === null) details?.push({ owner_address: null, signature: null, signature_type: null });
    for (const signature of signaturesOf.get(execution) ?? [])
      details?.push({ owner_address: ownerOf.get(signature) ?? null, signature: signature.signature, signature_type: signature.type });
  }
  return (position) => detailsOf.get(keyOf(position)) ?? null;
}

const receivedBy = (execution: SafeExecutionRow): ReceivedSignature[] => {
  const checked = BigInt(execution.threshold ?? 1);
  return splitSignatures(execution.signatures ?? "0x").map((signature, index) => ({
    ...signature,
    execution,
    isChecked: BigInt(index) < checked,
  }));
};

/** The owner that made each signature; signatures of other accounts are omitted. */
async function ownersOf(
  { safes }: ResolverContext,
  chainId: number,
  signatures: readonly ReceivedSignature[],
): Promise<Map<ReceivedSignature, Address>> {
  const candidates: (OwnerCandidate & { readonly received: ReceivedSignature })[] = [];
  let recovered = 0;
  for (const received of signatures) {
    const { execution, account, isChecked } = received;
    if (account === null && ++recovered % recoveredPerTurn === 0) await nextTurn();
    // Only the Safe knows whether a contract accepted its signature, or an owner approved the hash.
    const owner = account === null ? await recoverSigner(execution.tx_hash, received) : isChecked ? account : null;
    if (owner === null) continue;
    candidates.push({
      received,
      owner,
      safe: execution.safe,
      block_number: execution.block_number,
      checked_before: execution.checked_before,
    });
  }
  const isOwner = await safes.areOwners(chainId, candidates);
  return new Map(candidates.filter((_, index) => isOwner[index] === true).map(({ received, owner }) => [received, owner]));
}
