import type { ChainFacts, Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { type HolderChange, maxUint256 } from "./balances.ts";
import type { TokenMovement } from "./movements.ts";
import { standards } from "./standards.ts";

interface Totals {
  readonly token: Address;
  readonly standard: number;
  /** Null if the token is node-sourced and one of its balances is unknown. */
  holders: number | null;
  /**
   * Mints minus burns: since the first indexed block for an ERC-20 token, since deployment for a collection; null if events do not determine the
   * latter.
   */
  supply: bigint | null;
  written: Pick<Totals, "holders" | "supply">;
}

/** Holder counts and supplies, one row per block that changed them. */
export const createTotals = (state: State, chain: ChainFacts, isNodeSourced: (token: Address, standard: number) => boolean) => {
  const all = new Map<string, Totals>();
  const inBlock = new Set<Totals>();
  const holderRows: Row[] = [];
  const supplyRows: Row[] = [];

  const totalsOf = (token: Address, standard: number): Totals => {
    const key = `${token}${standard}`;
    const existing = all.get(key);
    if (existing !== undefined) return existing;
    const stored = state.get("totals", token, standard);
    const holders = stored === undefined ? 0 : stored.holders === null ? null : Number(stored.holders);
    const storedSupply = state.get("supplies", token, standard);
    // If the index starts late, the earlier supply of an ERC-20 token is in supply_offsets. In a complete index, every supply starts at 0.
    const initial = standard === standards.erc20 || chain.from === 0 ? 0n : null;
    const supply = storedSupply === undefined ? initial : storedSupply.supply === null ? null : BigInt(String(storedSupply.supply));
    const totals: Totals = { token, standard, holders, supply, written: { holders, supply } };
    all.set(key, totals);
    return totals;
  };

  const changeSupply = (totals: Totals, amount: bigint): void => {
    inBlock.add(totals);
    if (totals.supply === null) return;
    const next = totals.supply + amount;
    // An impossible ERC-20 sum is corrected by totalSupply(); for a collection it shows that its events are incomplete.
    totals.supply = totals.standard === standards.erc20 || (next >= 0n && next <= maxUint256) ? next : null;
  };

  const write = (totals: Totals, blockNumber: number): void => {
    const { token, standard, holders, supply, written } = totals;
    if (holders !== written.holders) holderRows.push({ token, standard, block_number: blockNumber, holders });
    if (supply !== written.supply) supplyRows.push({ token, standard, block_number: blockNumber, supply });
    totals.written = { holders, supply };
  };

  return {
    /** A movement without a sender mints, even to the zero address; one with a sender and without a receiver burns. */
    move: ({ token, standard, from, to, amount }: TokenMovement): void => {
      if (standard === standards.native || (from !== null && to !== null)) return;
      if (from === null && to === null && standard !== standards.erc20) return;
      changeSupply(totalsOf(token, standard), from === null ? amount : -amount);
    },
    endBlock: (blockNumber: number, changes: readonly HolderChange[]): void => {
      for (const { key, change, isKnown } of changes) {
        if (!isCounted(key)) continue;
        const totals = totalsOf(key.token, key.standard);
        totals.holders = totals.holders === null || isNodeSourced(key.token, key.standard) ? null : totals.holders + change;
        if (!isKnown && key.standard !== standards.erc20) totals.supply = null;
        inBlock.add(totals);
      }
      for (const totals of inBlock) write(totals, blockNumber);
      inBlock.clear();
    },
    holders: holderRows,
    supplies: supplyRows,
  };
};

/** Whether a balance counts as a holder here. The zero address's ERC-20 balances do not: they are read from the contract and counted at query time. */
const isCounted = ({ standard, owner }: HolderChange["key"]): boolean =>
  standard !== standards.native && (standard !== standards.erc20 || owner !== zeroAddress);
