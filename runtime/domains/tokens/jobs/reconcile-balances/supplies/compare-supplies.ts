import type { ContractBackoff } from "../../../../../chain/contract-backoff.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { JobContext } from "../../../../../jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { indexedHead, isCanonical, writeIfCanonical, writeIfCanonicalKeepingCache } from "../as-of-head.ts";
import { readUint256s, supplyOffsetOf, type Uint256Result } from "./read-uint256.ts";
import type { Step, Value } from "./step-function.ts";
import { type StoredSupply, storedSupplies, writeSteps } from "./supply-offsets.ts";
import { writeZeroAddressBalance } from "./zero-address-balances.ts";

/** The result of comparing a supply. Agreement is conclusive only if the contract returned a positive supply: a zero proves nothing, nor does a failed call. */
export interface SupplyComparison {
  readonly token: Address;
  readonly agrees: boolean;
  readonly isConclusive: boolean;
}

/**
 * Compares supplies and zero-address balances with `totalSupply()` and `balanceOf(0x0)` at the indexed head, and writes differing values as of that block, for
 * which a reading is exact. The block of the change is then located by reading earlier blocks (locate-supply-changes).
 */
export const compareSupplies = async (
  context: JobContext,
  tokens: readonly Address[],
  backoff: ContractBackoff,
): Promise<SupplyComparison[]> => {
  if (tokens.length === 0) return [];
  const { chainId, clock, database } = context;
  const head = await indexedHead(context);
  if (head === null) return [];
  const stored = await storedSupplies(database, chainId, tokens, head.number);
  const results = await readUint256s(
    context,
    stored.flatMap(({ token }) => [
      { token, owner: null, block: head.number },
      { token, owner: zeroAddress, block: head.number },
    ]),
  );
  if (!(await isCanonical(context, head))) return [];
  const firstBlock = await firstIndexedBlock(context);
  const evaluated = stored.map((supply, position) => evaluate(supply, head, firstBlock, results[2 * position], results[2 * position + 1]));
  for (const { stored: supply, hasResults } of evaluated) if (!hasResults) backoff.recordFailure(supply.token, clock());
  const differing = evaluated.filter(({ steps, zero }) => steps.length > 0 || zero !== null);
  if (differing.length > 0) {
    const write = differing.some(({ zero }) => zero !== null) ? writeIfCanonical : writeIfCanonicalKeepingCache;
    await write(context, head, async (client) => {
      for (const { stored: supply, steps, zero } of differing) {
        if (steps.length > 0) await writeSteps(client, chainId, supply.token, steps[0]?.block ?? head.number, head.number, steps);
        if (zero !== null) await writeZeroAddressBalance(client, chainId, supply.token, head.number, firstBlock, zero);
      }
    });
  }
  return evaluated.map(({ stored: { token }, steps, zero, isPositive }) => {
    const agrees = steps.length === 0 && zero === null;
    return { token, agrees, isConclusive: !agrees || isPositive };
  });
};

/** The changes to stored values that a contract's results require. */
interface Evaluation {
  readonly stored: StoredSupply;
  readonly hasResults: boolean;
  readonly isPositive: boolean;
  /** Steps to write; none if the stored supply is correct. */
  readonly steps: readonly Step[];
  /** The balance of the zero address to write; null if the stored one is correct. */
  readonly zero: bigint | null;
}

const evaluate = (
  stored: StoredSupply,
  head: IndexedBlock,
  firstBlock: number,
  supply: Uint256Result,
  zero: Uint256Result,
): Evaluation => ({
  stored,
  hasResults: supply !== undefined && zero !== undefined,
  isPositive: typeof supply === "bigint" && supply > 0n,
  steps: supply === undefined ? [] : offsetSteps(stored, head, firstBlock, supplyOffsetOf(supply, stored.eventSupply)),
  zero: typeof zero === "bigint" && stored.zeroAddressBalance !== undefined && zero !== balanceOf(stored.zeroAddressBalance) ? zero : null,
});

/** An address without a row has the balance 0. */
const balanceOf = (row: (StoredSupply["zeroAddressBalance"] & object) | null): bigint | null => (row === null ? 0n : row.balance);

/** The first indexed block. If it is 0, the initial supply of every token is 0. */
const firstIndexedBlock = async ({ database, chainId }: JobContext): Promise<number> => {
  const [row] = await database.query<{ indexed_from: number }>("SELECT indexed_from FROM chains WHERE chain_id = $1", [chainId]);
  return row?.indexed_from ?? 0;
};

/**
 * The steps that a reading at the head adds; none if it equals the stored offset. The first reading of a token whose history is uncertain (a late index, or a
 * node-sourced token) opens a gap over the entire history.
 */
const offsetSteps = ({ offset, isNodeSourced }: StoredSupply, head: IndexedBlock, firstBlock: number, value: Value): readonly Step[] => {
  const atHead = { block: head.number, value };
  if (offset === null) {
    if (value === 0n && firstBlock === 0 && !isNodeSourced) return [];
    return firstBlock < head.number ? [{ block: firstBlock, value: undefined }, atHead] : [atHead];
  }
  if (offset.value === value) return [];
  // An open gap ends here, and an offset of the head block is replaced.
  if (offset.value === undefined || offset.block === head.number) return [atHead];
  return offset.block + 1 === head.number ? [atHead] : [{ block: offset.block + 1, value: undefined }, atHead];
};
