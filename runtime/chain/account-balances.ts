import type { Address, Hash } from "../lib/hex.ts";
import { BadReplyError } from "./errors.ts";
import { touchedAccounts } from "./touched-accounts.ts";
import type { AccountBalance, ChainBlock } from "./types.ts";

/** The state right after a block. */
export interface StateAt {
  readonly height: number;
  readonly hash: Hash;
}

/** What the node is asked by, so that the order of the questions can be tested without one. */
export interface BalanceReader {
  /** Native balances in one state each; null where the node lacks it. */
  readonly balances: (reads: readonly { readonly address: Address; readonly at: StateAt }[]) => Promise<(bigint | null)[]>;
  readonly hashesOf: (heights: readonly number[]) => Promise<(Hash | null)[]>;
  /** The balances are asked for by the block's hash (EIP-1898): an answer cannot be of another branch. */
  readonly byHash: boolean;
  /** State of long ago is there; without it one question a block finds out whether the rest is worth asking. */
  readonly archiveState: boolean;
}

interface Wanted {
  readonly address: Address;
  readonly after: Read;
  /** The state before is the one after the block before: what that block's own reading says is not asked for twice. */
  readonly before: Read;
}
interface Read {
  readonly address: Address;
  readonly at: StateAt;
}

/**
 * Blocks that follow each other, with the native balances of all accounts that each touched: right before the block and right after it.
 * The genesis block's are left out: its state is what an index begins with. @throws {BadReplyError} where the answers may be of another branch.
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
  const answers = await readAll(reader, wanted);
  if (!reader.byHash) await confirmBranch(reader, blocks);
  return blocks.map((block) => ({
    ...block,
    balances: (wanted.get(block.number) ?? []).map(
      (account): AccountBalance => ({
        address: account.address,
        balance: answers.get(account.after) ?? null,
        before: answers.get(account.before) ?? null,
      }),
    ),
  }));
};

const readAll = async (reader: BalanceReader, wanted: ReadonlyMap<number, readonly Wanted[]>): Promise<Map<Read, bigint | null>> => {
  const reads = new Set([...wanted.values()].flat().flatMap(({ before, after }) => [before, after]));
  const states = groupByHeight(reads);
  const there = reader.archiveState ? [...states.values()] : await thereOf(reader, [...states.values()]);
  const asked = there.flat();
  const told = await reader.balances(asked);
  return new Map(asked.map((read, position) => [read, told[position] ?? null]));
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

/** Those states that the node has, by one question each. */
const thereOf = async ({ balances }: BalanceReader, states: readonly (readonly Read[])[]): Promise<(readonly Read[])[]> => {
  const told = await balances(states.flatMap((reads) => reads[0] ?? []));
  return states.filter((_, position) => told[position] !== null && told[position] !== undefined);
};

/** Balances that were asked for by height are of these blocks only if the node has the same ones there after it told them. @throws {BadReplyError} */
const confirmBranch = async ({ hashesOf }: BalanceReader, blocks: readonly ChainBlock[]): Promise<void> => {
  const first = blocks[0];
  if (first === undefined) return;
  const parents = first.number === 0 ? [] : [{ number: first.number - 1, hash: first.parentHash }];
  const expected = [...parents, ...blocks];
  const told = await hashesOf(expected.map(({ number }) => number));
  const left = expected.find(({ hash }, position) => told[position] !== hash);
  if (left !== undefined) throw new BadReplyError(`The node left its block ${left.number} while balances were asked for.`);
};
