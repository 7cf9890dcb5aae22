import type { ChainTransaction } from "../../../chain/types.ts";
import type { DecodedBlock } from "../../../events/decoded-block.ts";
import { defineProjection, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type State } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";

/** The id of the projection, which identifies its checkpoint. */
const addressActivityId = "address-activity";

/**
 * Each sender's transaction count and fees, as running sums at each block in which it sent a transaction. Summing on request would be slow: a wallet may have
 * sent 200,000 transactions.
 */
export const addressActivityProjection = defineProjection({
  id: addressActivityId,
  version: 1,
  events: [],
  tables: [
    {
      kind: "append",
      name: "address_fees",
      columns: { address: "bytea", block_number: "int8", sent_count: "int8", fees_paid: "numeric" },
    },
  ],
  loads: {
    sums: { table: "address_fees", key: { address: "bytea" }, valueColumns: ["sent_count", "fees_paid"], newestBy: "block_number" },
  },
  keysToLoad: (blocks) => {
    const senders = createKeySet();
    for (const { block } of blocks) for (const { from } of block.transactions) senders.add(from);
    return { sums: senders.keys };
  },
  fold: (blocks, { state }) => ({ address_fees: foldFees(blocks, state) }),
});

interface Sum {
  sentCount: number;
  feesPaid: bigint;
}

const foldFees = (blocks: readonly DecodedBlock[], state: State): Row[] => {
  const sums = new Map<Address, Sum>();
  const sumOf = (address: Address): Sum => {
    const existing = sums.get(address);
    if (existing !== undefined) return existing;
    const stored = state.get("sums", address);
    const sum = { sentCount: Number(stored?.sent_count ?? 0), feesPaid: BigInt(String(stored?.fees_paid ?? 0)) };
    sums.set(address, sum);
    return sum;
  };
  const rows: Row[] = [];
  for (const { block } of blocks) {
    const senders = new Set<Address>();
    for (const transaction of block.transactions) {
      const sum = sumOf(transaction.from);
      sum.sentCount += 1;
      sum.feesPaid += feesOf(transaction);
      senders.add(transaction.from);
    }
    for (const address of senders) {
      const { sentCount, feesPaid } = sumOf(address);
      rows.push({ address, block_number: block.number, sent_count: sentCount, fees_paid: feesPaid });
    }
  }
  return rows;
};

/** The fees of a transaction: gas at the effective price, the L1 fee, and the blob fee (EIP-4844). A failed transaction pays too. */
const feesOf = ({ gasUsed, effectiveGasPrice, l1Fee, blobFee }: ChainTransaction): bigint =>
  gasUsed * effectiveGasPrice + (l1Fee ?? 0n) + (blobFee ?? 0n);
