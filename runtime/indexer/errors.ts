import type { Hash } from "../lib/hex.ts";

/** The index and the node do not belong together, or cannot go on together: an operator has to decide. Nothing was written. */
export class IndexMismatchError extends Error {
  override readonly name = "IndexMismatchError";
}

/** @throws {IndexMismatchError} where the node of a chain is of another one. */
export const refuseChainId = ({ name, id }: { readonly name: string; readonly id: number }, reported: number): void => {
  if (reported === id) return;
  throw new IndexMismatchError(
    `The node of ${name} reports chain id ${reported}, expected ${id}: set its rpc (--rpc) to a node of chain ${id}, or give chain ${reported} another name than ${name}.`,
  );
};

/** @throws {IndexMismatchError} where a first block to index is above the node's head. */
export const refuseFirstBlock = ({ name, from }: { readonly name: string; readonly from: number }, head: number): void => {
  if (from <= head) return;
  throw new IndexMismatchError(
    `The first block to index of ${name}, ${from}, is above its node's head, block ${head}: set its from (--from) to ${head} or less.`,
  );
};

export const nameTaken = (name: string, id: number, holder: number): IndexMismatchError =>
  new IndexMismatchError(
    `The name ${name} is that of chain ${holder} in this index: give chain ${id} another name, or use another database.`,
  );

export const wrongGenesis = (name: string, stored: Hash, told: Hash): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} has the genesis block ${told}, and the index was built from ${stored}: give a node of that chain, or another database.`,
  );

export const tracesGone = (name: string): IndexMismatchError =>
  new IndexMismatchError(
    `The index of ${name} follows native balances by traces, which this node or the configuration does not offer now: give a node with traces and set nativeAccounting to traces, or use another database.`,
  );

/** What an operator is told of balances that were found to be wrong; no error, as everything else of the index is right. */
export const nativeBalancesDiffer = (name: string): string =>
  `The native balances of ${name} differ from its node's. What moves value there is not all in traces: set nativeAccounting: state for it and index it into a new database.`;

/** The same of balances that are the node's word: an account changed after it was touched for the last time. */
export const nativeBalancesUnseen = (name: string): string =>
  `Native balances of ${name} changed without a trace since their accounts were touched; the indexer finds such accounts now and then and reads them again, and systemAccounts names those that change with every block.`;

export const finalizedChanged = (name: string, height: number, finalized: number): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} has another block ${height} than the index, although ${finalized} was final: nothing was changed; find out which node is right.`,
  );
