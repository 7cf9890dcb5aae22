import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { JobContext } from "../../../../../jobs/job.ts";
import type { TokenBackoff } from "../../../../../jobs/token-backoff.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { indexedHead, isCanonical, writeAsOf, writeBesideAsOf } from "../as-of-head.ts";
import { type NumberResult, readNumbers, supplyOffsetOf } from "./read-numbers.ts";
import type { Step, Value } from "./step-function.ts";
import { type StoredSupply, storedSupplies, writeSteps } from "./supply-offsets.ts";
import { writeZeroBalance } from "./zero-address-balances.ts";

/** What a comparison found: whether the index was right, and whether that says anything (zero agrees with everything). */
export interface SupplyComparison {
  readonly token: Address;
  readonly agrees: boolean;
  readonly isConclusive: boolean;
}

/**
 * Compares supplies, and what the zero address has, with `totalSupply()` and `balanceOf(0x0)` at the indexed head, and writes what differs as of that block:
 * a reading cannot be wrong there. Since when it was so is found by reading further back (resolve-supplies).
 */
export const compareSupplies = async (
  context: JobContext,
  tokens: readonly Address[],
  deferral: TokenBackoff,
): Promise<SupplyComparison[]> => {
  if (tokens.length === 0) return [];
  const { chainId, clock, database } = context;
  const head = await indexedHead(context);
  if (head === null) return [];
  const known = await storedSupplies(database, chainId, tokens, head.number);
  const answers = await readNumbers(
    context,
    known.flatMap(({ token }) => [
      { token, owner: null, block: head.number },
      { token, owner: zeroAddress, block: head.number },
    ]),
  );
  if (!(await isCanonical(context, head))) return [];
  const origin = await firstIndexedBlock(context);
  const judged = known.map((one, position) => evaluate(one, head, origin, answers[2 * position], answers[2 * position + 1]));
  for (const { known: one, isAnswered } of judged) if (!isAnswered) deferral.put(one.token, clock());
  const differing = judged.filter(({ steps, zero }) => steps.length > 0 || zero !== null);
  if (differing.length > 0) {
    const write = differing.some(({ zero }) => zero !== null) ? writeAsOf : writeBesideAsOf;
    await write(context, head, async (client) => {
      for (const { known: one, steps, zero } of differing) {
        if (steps.length > 0) await writeSteps(client, chainId, one.token, steps[0]?.block ?? head.number, head.number, steps);
        if (zero !== null) await writeZeroBalance(client, chainId, one.token, head.number, origin, zero);
      }
    });
  }
  return judged.map(({ known: { token }, steps, zero, isPositive }) => {
    const agrees = steps.length === 0 && zero === null;
    return { token, agrees, isConclusive: !agrees || isPositive };
  });
};

/** What a contract's answers mean for what the index has. */
interface Evaluation {
  readonly known: StoredSupply;
  readonly isAnswered: boolean;
  readonly isPositive: boolean;
  /** The steps to be written; none where the supply is the one that is known. */
  readonly steps: readonly Step[];
  /** What the zero address has, where that is to be written. */
  readonly zero: bigint | null;
}

const evaluate = (known: StoredSupply, head: IndexedBlock, origin: number, supply: NumberResult, zero: NumberResult): Evaluation => ({
  known,
  isAnswered: supply !== undefined && zero !== undefined,
  isPositive: typeof supply === "bigint" && supply > 0n,
  steps: supply === undefined ? [] : offsetSteps(known, head, origin, supplyOffsetOf(supply, known.events)),
  zero: typeof zero === "bigint" && known.zero !== undefined && zero !== zeroOf(known.zero) ? zero : null,
});

/** An address without a row has nothing. */
const zeroOf = (row: (StoredSupply["zero"] & object) | null): bigint | null => (row === null ? 0n : row.balance);

/** First indexed block: an index from the chain's start has seen every token begin with nothing. */
const firstIndexedBlock = async ({ database, chainId }: JobContext): Promise<number> => {
  const [row] = await database.query<{ indexed_from: number }>("SELECT indexed_from FROM chains WHERE chain_id = $1", [chainId]);
  return row?.indexed_from ?? 0;
};

/**
 * The steps that a reading at the head adds; none where it is what the index has. The first of a token whose past is doubtful (a late index, balances
 * that do not follow from events) opens a gap over all of it.
 */
const offsetSteps = ({ offset, isSourced }: StoredSupply, head: IndexedBlock, origin: number, difference: Value): readonly Step[] => {
  const after = { block: head.number, value: difference };
  if (offset === null) {
    if (difference === 0n && origin === 0 && !isSourced) return [];
    return origin < head.number ? [{ block: origin, value: undefined }, after] : [after];
  }
  if (offset.value === difference) return [];
  // An open gap ends here, and what holds since the head's own block is replaced.
  if (offset.value === undefined || offset.block === head.number) return [after];
  return offset.block + 1 === head.number ? [after] : [{ block: offset.block + 1, value: undefined }, after];
};
