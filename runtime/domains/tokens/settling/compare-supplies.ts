import type { DatabaseClient } from "../../../database/database.ts";
import type { IndexedBlock } from "../../../indexer/types.ts";
import type { ChoreContext } from "../../../jobs/chore.ts";
import type { Address } from "../../../lib/hex.ts";
import { indexedHead, isNodesBlock, writeAsOf, writeBesideAsOf } from "./node-words.ts";
import type { Deferral } from "./patience.ts";
import { differenceOf, readSupplies } from "./read-supplies.ts";
import type { Step, Value } from "./steps.ts";
import { type KnownSupply, knownSupplies, writeSteps } from "./supply-rows.ts";
import { writeZeroBalance } from "./zero-balances.ts";

/** What a comparison found: whether the index was right, and whether that says anything (zero agrees with everything). */
export interface SupplyOutcome {
  readonly token: Address;
  readonly agrees: boolean;
  readonly proves: boolean;
}

/**
 * Compares supplies, and what the zero address has, with `totalSupply()` and `balanceOf(0x0)` at the indexed head, and writes what differs as of that block:
 * a reading cannot be wrong there. Since when it was so is found by reading further back (resolve-supplies).
 */
export const compareSupplies = async (context: ChoreContext, tokens: readonly Address[], deferral: Deferral): Promise<SupplyOutcome[]> => {
  if (tokens.length === 0) return [];
  const { chainId, clock, database } = context;
  const head = await indexedHead(context);
  if (head === null) return [];
  const known = await knownSupplies(database, chainId, tokens, head.number);
  const answers = await readSupplies(
    context,
    known.flatMap(({ token }) => [
      { token, of: "supply" as const, block: head.number },
      { token, of: "zero" as const, block: head.number },
    ]),
  );
  if (!(await isNodesBlock(context, head))) return [];
  const origin = await indexOrigin(context);
  const outcomes: SupplyOutcome[] = [];
  let changesBalances = false;
  const writes: ((client: DatabaseClient) => Promise<void>)[] = [];
  for (const [position, one] of known.entries()) {
    const [supply, zero] = [answers[2 * position], answers[2 * position + 1]];
    if (supply === undefined || zero === undefined) deferral.put(one.token, clock());
    const steps = supply === undefined ? [] : stepsOf(one, head, origin, differenceOf(supply, one.events));
    if (steps.length > 0) writes.push((client) => writeHeadSteps(client, chainId, one.token, head, steps));
    const zeroDiffers =
      typeof zero === "bigint" && one.zero !== undefined && zero !== (one.zero?.balance ?? (one.zero === null ? 0n : null));
    if (zeroDiffers) writes.push((client) => writeZeroBalance(client, chainId, one, head.number, origin, zero));
    changesBalances ||= zeroDiffers;
    const agrees = supply !== undefined && steps.length === 0 && !zeroDiffers;
    outcomes.push({ token: one.token, agrees, proves: !agrees || (typeof supply === "bigint" && supply > 0n) });
  }
  if (writes.length > 0) {
    const write = changesBalances ? writeAsOf : writeBesideAsOf;
    await write(context, head, async (client) => {
      for (const each of writes) await each(client);
    });
  }
  return outcomes;
};

/** First indexed block: an index from the chain's start has seen every token begin with nothing. */
const indexOrigin = async ({ database, chainId }: ChoreContext): Promise<number> => {
  const [row] = await database.query<{ indexed_from: number }>("SELECT indexed_from FROM chains WHERE chain_id = $1", [chainId]);
  return row?.indexed_from ?? 0;
};

/**
 * The steps that a reading at the head adds; none where it is what the index has. The first of a token whose past is doubtful (a late index, balances
 * that do not follow from events) opens a gap over all of it.
 */
const stepsOf = ({ offset, isSourced }: KnownSupply, head: IndexedBlock, origin: number, difference: Value): readonly Step[] => {
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

const writeHeadSteps = (
  client: DatabaseClient,
  chainId: number,
  token: Address,
  head: IndexedBlock,
  steps: readonly Step[],
): Promise<void> => writeSteps(client, chainId, token, steps[0]?.block ?? head.number, head.number, steps);
