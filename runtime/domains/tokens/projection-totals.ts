import type { ChainFacts, Row } from "../../indexer/projection.ts";
import type { State } from "../../indexer/state.ts";
import type { Address } from "../../lib/hex.ts";
import { type HolderChange, largestWord } from "./projection-balances.ts";
import type { TokenMovement } from "./projection-movements.ts";
import { standards } from "./standards.ts";

interface Totals {
  readonly token: Address;
  readonly standard: number;
  /** Null where the node has the word on balances, and was not asked yet. */
  holders: number | null;
  /** Null where mints and burns do not tell: they are not all indexed, or a balance shows that events lie. */
  supply: bigint | null;
  written: string;
}

/** How many hold each token and how much there is of it: one row a block that changed either. */
export const createTotals = (state: State, chain: ChainFacts, isNodeSourced: (token: Address, standard: number) => boolean) => {
  const all = new Map<string, Totals>();
  const inBlock = new Set<Totals>();
  const rows: Row[] = [];

  const totalsOf = (token: Address, standard: number): Totals => {
    const key = `${token}${standard}`;
    const known = all.get(key);
    if (known !== undefined) return known;
    const stored = state.get("totals", token, standard);
    const holders = stored === undefined ? 0 : stored.holders === null ? null : Number(stored.holders);
    // A token of a complete index began with nothing.
    const supply = stored === undefined ? (chain.from === 0 ? 0n : null) : stored.supply === null ? null : BigInt(String(stored.supply));
    const totals: Totals = { token, standard, holders, supply, written: "" };
    totals.written = textOf(totals);
    all.set(key, totals);
    return totals;
  };

  const changeSupply = (totals: Totals, amount: bigint): void => {
    inBlock.add(totals);
    const next = totals.supply === null ? null : totals.supply + amount;
    totals.supply = next === null || next < 0n || next > largestWord ? null : next;
  };

  return {
    /** A movement without a sender makes, one without a receiver destroys. */
    move: ({ token, standard, from, to, amount }: TokenMovement): void => {
      if (standard === standards.native || (from === null) === (to === null)) return;
      changeSupply(totalsOf(token, standard), from === null ? amount : -amount);
    },
    endBlock: (blockNumber: number, changes: readonly HolderChange[]): void => {
      for (const { key, change, isKnown } of changes) {
        if (key.standard === standards.native) continue;
        const totals = totalsOf(key.token, key.standard);
        totals.holders = totals.holders === null || isNodeSourced(key.token, key.standard) ? null : totals.holders + change;
        if (!isKnown) totals.supply = null;
        inBlock.add(totals);
      }
      for (const totals of inBlock) {
        const { token, standard, holders, supply } = totals;
        if (textOf(totals) === totals.written) continue;
        totals.written = textOf(totals);
        rows.push({ token, standard, block_number: blockNumber, holders, supply });
      }
      inBlock.clear();
    },
    rows,
  };
};

const textOf = ({ holders, supply }: Totals): string => `${holders} ${supply}`;
