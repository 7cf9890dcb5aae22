import type { Address, Hash } from "../lib/hex.ts";
import { InvalidResponseError } from "./errors.ts";
import { touchedAccounts } from "./touched-accounts.ts";
import type { AccountBalance, ChainBlock } from "./types.ts";

/** The state right after a block. */
export interface StateAt {
  readonly height: number;
  readonly hash: Hash;
}

/** The reads for balances, separate from the source so that tests can check their order without a node. */
export interface BalanceReader {
  /** Native balances, each in the state after one block; null if the node lacks that state. */
  readonly balances: (reads: readonly { readonly address: Address; readonly at: StateAt }[]) => Promise<(bigint | null)[]>;
  readonly hashesOf: (heights: readonly number[]) => Promise<(Hash | null)[]>;
  /** Whether balances are read by block hash (EIP-1898), so that they cannot belong to another branch. */
  readonly readsByHash: boolean;
  /** Whether the node has the state of past blocks; without it, one read per block determines whether the others are sent. */
  readonly hasArchiveState: boolean;
}

interface AccountReads {
  readonly address: Address;
  readonly after: Read;
  /** The read of the parent's state, shared with the parent's `after` if the parent touched the account as well. */
  readonly before: Read;
}
interface Read {
  readonly address: Address;
  readonly at: StateAt;
}

/**
 * Adds native balances to consecutive blocks: those of all accounts that each block touched, right before and right after it.
 * The genesis block has none, because its state is the base of an index. @throws {InvalidResponseError} if the balances may belong to another branch.
 */
export const withBalances = async (
  reader: BalanceReader,
  blocks: readonly ChainBlock[],
  extraAccounts: readonly Address[] = [],
): Promise<ChainBlock[]> => {
  const after = new Map<number, Map<Address, Read>>();
  const readsByBlock = new Map<number, AccountReads[]>();
  for (const block of blocks) {
    const at = { height: block.number, hash: block.hash };
    const parent = { height: block.number - 1, hash: block.parentHash };
    const reads = new Map<Address, Read>();
    const readsOfParent = after.get(block.number - 1);
    after.set(block.number, reads);
    const touched = block.number === 0 ? [] : touchedAccounts(block, extraAccounts);
    readsByBlock.set(
      block.number,
      touched.map((address) => {
        const read = { address, at };
        reads.set(address, read);
        return { address, after: read, before: readsOfParent?.get(address) ?? { address, at: parent } };
      }),
    );
  }
  const values = await readAll(reader, readsByBlock);
  if (!reader.readsByHash) await confirmBranch(reader, blocks);
  return blocks.map((block) => ({
    ...block,
    balances: (readsByBlock.get(block.number) ?? []).map(
      (account): AccountBalance => ({
        address: account.address,
        balance: values.get(account.after) ?? null,
        balanceBefore: values.get(account.before) ?? null,
      }),
    ),
  }));
};

const readAll = async (
  reader: BalanceReader,
  readsByBlock: ReadonlyMap<number, readonly AccountReads[]>,
): Promise<Map<Read, bigint | null>> => {
  const reads = new Set([...readsByBlock.values()].flat().flatMap(({ before, after }) => [before, after]));
  const states = groupByHeight(reads);
  const available = reader.hasArchiveState ? [...states.values()] : await selectAvailable(reader, [...states.values()]);
  const sent = available.flat();
  const balances = await reader.balances(sent);
  return new Map(sent.map((read, position) => [read, balances[position] ?? null]));
};

const groupByHeight = (reads: Iterable<Read>): Map<number, Read[]> => {
  const groups = new Map<number, Read[]>();
  for (const read of reads) {
    const group = groups.get(read.at.height);
    if (group === undefined) groups.set(read.at.height, [read]);
    else group.push(read);
  }
  return groups;
};

/** Selects the states that the node has, with one read each. */
const selectAvailable = async ({ balances }: BalanceReader, states: readonly (readonly Read[])[]): Promise<(readonly Read[])[]> => {
  const first = await balances(states.flatMap((reads) => reads[0] ?? []));
  return states.filter((_, position) => first[position] !== null && first[position] !== undefined);
};

/** Checks that the node still has these blocks; otherwise balances that were read by height may not belong to them. @throws {InvalidResponseError} */
const confirmBranch = async ({ hashesOf }: BalanceReader, blocks: readonly ChainBlock[]): Promise<void> => {
  const first = blocks[0];
  if (first === undefined) return;
  const parents = first.number === 0 ? [] : [{ number: first.number - 1, hash: first.parentHash }];
  const expected = [...parents, ...blocks];
  const current = await hashesOf(expected.map(({ number }) => number));
  const replaced = expected.find(({ hash }, position) => current[position] !== hash);
  if (replaced !== undefined)
    throw new InvalidResponseError(`The node replaced block ${replaced.number} while its balances were being read.`);
};
