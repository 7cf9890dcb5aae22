import type { ChainBlock, ChainTransaction } from "../../../chain/types.ts";
import type { Address } from "../../../lib/hex.ts";

/** A movement of native value in a block. `to` is null if the value is burned, `from` is null if the protocol issues it. */
export interface NativeMovement {
  /** Null for a movement without a transaction. */
  readonly transactionIndex: number | null;
  /** `value` and `internal` are transfers; the others change balances only. */
  readonly kind: "fee" | "value" | "internal" | "tip" | "withdrawal";
  readonly from: Address | null;
  readonly to: Address | null;
  readonly amount: bigint;
}

const weiPerGwei = 1_000_000_000n;

/**
 * All changes of native balances in a block, in order. A transaction pays its fee, transfers its value and makes its internal transfers; then the miner
 * receives the part of the price above the base fee. The base fee (EIP-1559) and blob fees (EIP-4844) are burned. A failed transaction pays its fee and
 * transfers nothing. Withdrawals (EIP-4895) follow after all transactions.
 */
export const nativeMovements = (block: ChainBlock): NativeMovement[] => {
  // The genesis block's state is the initial state of the index.
  if (block.number === 0) return [];
  const movements = block.transactions.flatMap((transaction) => movementsOf(transaction, block));
  for (const { address, amountGwei } of block.withdrawals) {
    movements.push({ transactionIndex: null, kind: "withdrawal", from: null, to: address, amount: amountGwei * weiPerGwei });
  }
  return movements.filter(({ amount }) => amount > 0n);
};

/** Only the value transfers of a block, for an index without native balances. */
export const nativeTransfers = (block: ChainBlock): NativeMovement[] => {
  if (block.number === 0) return [];
  const movements: NativeMovement[] = [];
  for (const transaction of block.transactions) {
    if (transaction.value === 0n && (transaction.traces?.length ?? 0) === 0) continue;
    for (const movement of transfersOf(transaction, transaction.value)) if (movement.amount > 0n) movements.push(movement);
  }
  return movements;
};

const movementsOf = (transaction: ChainTransaction, block: ChainBlock): NativeMovement[] => {
  const { index, from, value, gasUsed, effectiveGasPrice } = transaction;
  const fee = gasUsed * effectiveGasPrice + (transaction.l1Fee ?? 0n) + (transaction.blobFee ?? 0n);
  const tip = gasUsed * (effectiveGasPrice - (block.baseFeePerGas ?? 0n));
  return [
    { transactionIndex: index, kind: "fee", from, to: null, amount: fee },
    ...transfersOf(transaction, value),
    { transactionIndex: index, kind: "tip", from: null, to: block.miner, amount: tip },
  ];
};

const transfersOf = (transaction: ChainTransaction, value: bigint): NativeMovement[] => {
  if (transaction.successful === false) return [];
  const { index, from } = transaction;
  const to = transaction.to ?? transaction.createdContract;
  const internal = (transaction.traces ?? []).map((trace): NativeMovement => {
    // A contract that names itself as beneficiary burns its value: the tracer reports no other self-destruct with equal sides.
    const isBurn = trace.type === "selfdestruct" && trace.from === trace.to;
    return { transactionIndex: index, kind: "internal", from: trace.from, to: isBurn ? null : trace.to, amount: trace.value };
  });
  return to === null ? internal : [{ transactionIndex: index, kind: "value", from, to, amount: value }, ...internal];
};
