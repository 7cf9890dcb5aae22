import type { BitcoinSource } from "../../../chain/bitcoin/source.ts";
import type { BitcoinBlock, BitcoinInput, BitcoinOutput, BitcoinTransaction } from "../../../chain/bitcoin/types.ts";
import type { Hash } from "../../../lib/hex.ts";
import type { OutputReference } from "../queries.ts";

/** Lookups of spent outputs that the node did not return with its blocks. */
export interface OutputLookups {
  /** Outputs in the index; null for outputs that are not stored. */
  readonly fromIndex: (references: readonly OutputReference[]) => Promise<(BitcoinOutput | null)[]>;
  /** Outputs by transaction, from the node's transaction index; null if it has none. */
  readonly fromNode: BitcoinSource["outputsOf"] | null;
}

/**
 * Adds to each input the output that it spends: as returned by the node with the block, otherwise from the same blocks, the index or the node's
 * transaction index, in this order. Outputs found in none of them remain null.
 */
export async function completeInputs(blocks: readonly BitcoinBlock[], { fromIndex, fromNode }: OutputLookups): Promise<BitcoinBlock[]> {
  const filled = fillFromBlocks(blocks);
  const found = await lookUp(missingInputs(filled), fromIndex);
  const transactions = [...new Set(missingInputs(fill(filled, found)).map(({ txid }) => txid))];
  if (fromNode === null || transactions.length === 0) return fill(filled, found);
  const outputs = await fromNode(transactions);
  const byTransaction = new Map(transactions.map((txid, position) => [txid, outputs[position] ?? null]));
  return fill(filled, (input) => found(input) ?? byTransaction.get(input.txid)?.[input.index] ?? null);
}

type FindOutput = (reference: OutputReference) => BitcoinOutput | null;

/** The outputs of the same blocks. A repeated transaction id refers to the newest transaction before the input (BIP 30). */
function fillFromBlocks(blocks: readonly BitcoinBlock[]): BitcoinBlock[] {
  const created = new Map<Hash, readonly BitcoinOutput[]>();
  return blocks.map((block) => ({
    ...block,
    transactions: block.transactions.map((transaction) => {
      const filled = fillTransaction(transaction, ({ txid, index }) => created.get(txid)?.[index] ?? null);
      created.set(transaction.txid, transaction.outputs);
      return filled;
    }),
  }));
}

const fill = (blocks: readonly BitcoinBlock[], find: FindOutput): BitcoinBlock[] =>
  blocks.map((block) => ({ ...block, transactions: block.transactions.map((transaction) => fillTransaction(transaction, find)) }));

const fillTransaction = (transaction: BitcoinTransaction, find: FindOutput): BitcoinTransaction =>
  transaction.inputs.every(({ spent }) => spent !== null)
    ? transaction
    : { ...transaction, inputs: transaction.inputs.map((input) => ({ ...input, spent: input.spent ?? find(input) })) };

const missingInputs = (blocks: readonly BitcoinBlock[]): BitcoinInput[] =>
  blocks.flatMap(({ transactions }) => transactions.flatMap(({ inputs }) => inputs.filter(({ spent }) => spent === null)));

const keyOf = ({ txid, index }: OutputReference): string => `${txid}:${index}`;

async function lookUp(references: readonly OutputReference[], fromIndex: OutputLookups["fromIndex"]): Promise<FindOutput> {
  const outputs = await fromIndex(references);
  const found = new Map(references.map((reference, position) => [keyOf(reference), outputs[position] ?? null]));
  return (reference) => found.get(keyOf(reference)) ?? null;
}
