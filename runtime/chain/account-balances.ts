import type { Address, Hash } from "../lib/hex.ts";
import { BadReplyError } from "./errors.ts";
import { touchedAccounts } from "./touched-accounts.ts";
import type { AccountBalance, ChainBlock } from "./types.ts";

/** The state right after a block. */
export interface StateAt {
  readonly height: number;
  readonly hash: Hash;
}

/** The reads that balances need, separate from the source so that their order can be tested without a node. */
export interface BalanceReader {
  /** Native balances in one state each; null where the node lacks it. */
  readonly balances: (reads: readonly { readonly address: Address; readonly at: StateAt }[]) => Promise<(bigint | null)[]>;
  readonly hashesOf: (heights: readonly number[]) => Promise<(Hash | null)[]>;
  /** Balances are read by block hash (EIP-1898), so that they cannot belong to another branch. */
  readonly byHash: boolean;
  /** The node has the state of past blocks; without it, one read per block determines whether the others are sent. */
  readonly archiveState: boolean;
}

interface Wanted {
  readonly address: Address;
  readonly after: Read;
  /** The balance before a block is the one after its parent, which is not read twice. */
  readonly before: Read;
}
interface Read {
  readonly address: Address;
  readonly at: StateAt;
}

/**
 * Consecutive blocks with the native balances of all accounts that each touched, right before and right after the block.
 * Those of the genesis block are omitted, because its state is the base of an index. @throws {BadReplyError} where the balances may belong to another branch.
 */
export const withBalances = async (
  reader: BalanceReader,
  blocks: readonly ChainBlock[],
  also: readonly Address[] = [],
): Promise<ChainBlock[]> => {
  const after = new Map<number, Map<Address, Read>>();
  const wanted = new Map<number, Wanted[]>();
  for (const block of blocks) {
    const at = { height: block.number, hash: block.hash };
    const parent = { height: block.number - 1, hash: block.parentHash };
    const reads = new Map<Address, Read>();
    const earlier = after.get(block.number - 1);
    after.set(block.number, reads);
    const touched = block.number === 0 ? [] : touchedAccounts(block, also);
    wanted.set(
      block.number,
      touched.map((address) => {
        const read = { address, at };
        reads.set(address, read);
        return { address, after: read, before: earlier?.get(address) ?? { address, at: parent } };
      }),
    );
  }
  const values = await readAll(reader, wanted);
  if (!reader.byHash) await confirmBranch(reader, blocks);
  return blocks.map((block) => ({
    ...block,
    balances: (wanted.get(block.number) ?? []).map(
      (account): AccountBalance => ({
        address: account.address,
        balance: values.get(account.after) ?? null,
        before: values.get(account.before) ?? null,
      }),
    ),
  }));
};

const readAll = async (reader: BalanceReader, wanted: ReadonlyMap<number, readonly Wanted[]>): Promise<Map<Read, bigint | null>> => {
  const reads = new Set([...wanted.values()].flat().flatMap(({ before, after }) => [before, after]));
  const states = groupByHeight(reads);
  const available = reader.archiveState ? [...states.values()] : await availableOf(reader, [...states.values()]);
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

/** The states that the node has, found by one read each. */
const availableOf = async ({ balances }: BalanceReader, states: readonly (readonly Read[])[]): Promise<(readonly Read[])[]> => {
  const first = await balances(states.flatMap((reads) => reads[0] ?? []));
  return states.filter((_, position) => first[position] !== null && first[position] !== undefined);
};

/** Balances that were read by height belong to these blocks only if the node still has the same ones at these heights. @throws {BadReplyError} */
const confirmBranch = async ({ hashesOf }: BalanceReader, blocks: readonly ChainBlock[]): Promise<void> => {
  const first = blocks[0];
  if (first === undefined) return;
  const parents = first.number === 0 ? [] : [{ number: first.number - 1, hash: first.parentHash }];
  const expected = [...parents, ...blocks];
  const current = await hashesOf(expected.map(({ number }) => number));
  const left = expected.find(({ hash }, position) => current[position] !== hash);
  if (left !== undefined) throw new BadReplyError(`The node replaced its block ${left.number} while balances were read.`);
};
