import type { Hash } from "../lib/hex.ts";

/** The index and the node do not belong together, or cannot go on together: an operator has to decide. Nothing was written. */
export class IndexMismatchError extends Error {
  override readonly name = "IndexMismatchError";
}

export const wrongChainId = (name: string, expected: number, told: number): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} is of chain ${told}, and the configuration says ${expected}: give the node of chain ${expected}.`,
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
