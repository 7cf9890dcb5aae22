import type { Hash } from "../lib/hex.ts";

/** The index does not belong to the node, or cannot continue with it: an operator has to decide. Nothing was written. */
export class IndexMismatchError extends Error {
  override readonly name = "IndexMismatchError";
}

/** @throws {IndexMismatchError} where the node reports another chain id than the configured one. */
export const refuseChainId = ({ name, id }: { readonly name: string; readonly id: number }, reported: number): void => {
  if (reported === id) return;
  throw new IndexMismatchError(
    `The node of ${name} reports chain id ${reported}, expected ${id}: set its rpc (--rpc) to a node of chain ${id}, or give chain ${reported} another name than ${name}.`,
  );
};

/** @throws {IndexMismatchError} where the first block to index is above the node's head. */
export const refuseFirstBlock = ({ name, from }: { readonly name: string; readonly from: number }, head: number): void => {
  if (from <= head) return;
  throw new IndexMismatchError(
    `The first block to index of ${name}, ${from}, is above its node's head, block ${head}: set its from (--from) to ${head} or less.`,
  );
};

export const nameTaken = (name: string, id: number, holder: number): IndexMismatchError =>
  new IndexMismatchError(
    `The name ${name} belongs to chain ${holder} in this index: give chain ${id} another name, or use another database.`,
  );

export const wrongGenesis = (name: string, stored: Hash, reported: Hash): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} reports genesis block ${reported}, expected ${stored}, from which the index was built: set its rpc (--rpc) to a node of that chain, or use another database.`,
  );

export const tracesGone = (name: string): IndexMismatchError =>
  new IndexMismatchError(
    `The index of ${name} follows native balances by traces, which its node or configuration no longer provides: use a node with traces and set nativeAccounting to traces, or use another database.`,
  );

/** Message about wrong native balances; not an error, because the rest of the index is right. */
export const nativeBalancesDiffer = (name: string): string =>
  `Native balances of ${name} differ from its node's, because its traces do not contain every transfer of value: set nativeAccounting to state and index into a new database.`;

/** Message about native balances read from the state: an account changed after the last block that touched it. */
export const nativeBalancesUnseen = (name: string): string =>
  `Native balances of ${name} changed after the last block that touched their accounts; the indexer samples accounts for such changes and reads them again. List accounts that change with every block in systemAccounts.`;

export const finalizedChanged = (name: string, height: number, finalized: number): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} has another block ${height} than the index, although block ${finalized} was final: nothing was changed. Find out which node is right.`,
  );
