import type { Hash } from "../lib/hex.ts";

/** The index was built from a different chain, or cannot continue with this node: the operator has to decide. Nothing was written. */
export class IndexMismatchError extends Error {
  override readonly name = "IndexMismatchError";
}

/** @throws {IndexMismatchError} if the node reports a chain id that differs from the configured one. */
export const verifyChainId = ({ name, id }: { readonly name: string; readonly id: number }, reported: number): void => {
  if (reported === id) return;
  throw new IndexMismatchError(
    `The node of ${name} reports chain id ${reported}, expected ${id}: set rpc (--rpc) to a node of chain ${id}, or choose a name other than ${name} for chain ${reported}.`,
  );
};

/** @throws {IndexMismatchError} if the first block to index is above the node's head. */
export const verifyFirstBlock = ({ name, from }: { readonly name: string; readonly from: number }, head: number): void => {
  if (from <= head) return;
  throw new IndexMismatchError(
    `Cannot index ${name} from block ${from}: the node's head is block ${head}; set from (--from) to ${head} or less.`,
  );
};

export const nameTakenError = (name: string, id: number, holder: number): IndexMismatchError =>
  new IndexMismatchError(
    `The name ${name} belongs to chain ${holder} in this index: choose a different name for chain ${id}, or use a different database.`,
  );

/** The chain is paused until its restore is complete; a process that starts before the pause is set fails with this error and is restarted. */
export const notRestoredError = (name: string): Error =>
  new Error(
    `Chain ${name} is not completely restored: repeat the command that restores it (ashlar restore --chain or ashlar chains move), or remove the chain from this database.`,
  );

export const wrongGenesisError = (name: string, stored: Hash, reported: Hash): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} reports genesis block ${reported}, expected ${stored}, the genesis block of the index: set rpc (--rpc) to a node of that chain, or use a different database.`,
  );

export const tracesUnavailableError = (name: string): IndexMismatchError =>
  new IndexMismatchError(
    `The index of ${name} derives native balances from traces, which its node or configuration no longer provides: use a node with traces and set nativeAccounting to traces, or use a different database.`,
  );

/** The warning about incorrect native balances; not an error, because the rest of the index is correct. */
export const nativeBalancesDifferWarning = (name: string): string =>
  `Native balances of ${name} differ from its node's because traces do not contain every transfer of value: set nativeAccounting to state and index into a new database.`;

/** The message if native balances were read from the state and an account changed after the last block that touched it. */
export const nativeBalancesChangedWarning = (name: string): string =>
  `Native balances of ${name} changed after the last block that touched their accounts; the indexer samples accounts for such changes and rereads them. List accounts that change with every block in systemAccounts.`;

/** `remedy` ends the message: what to do if the node is correct. */
export const finalizedBlockReplacedError = (name: string, height: number, finalized: number, remedy = ""): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} returned block ${height} with a different hash than the index, although block ${finalized} was finalized: indexing stopped and nothing was changed. Check whether the node or the index is correct${remedy}.`,
  );
